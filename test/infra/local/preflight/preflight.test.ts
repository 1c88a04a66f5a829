import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { preflight as checkStage, type Finding } from '../../../../infra/local/preflight/checks.ts';
import { runPreflight } from '../../../../infra/local/preflight/run-preflight.ts';
import { startSimulator, type Simulator } from '../../../../infra/local/simulator/simulator.ts';
import { deadAddress, json, page, serve } from '../../../support/local-server.ts';

const MAIN = fileURLToPath(new URL('../../../../infra/local/preflight/main.ts', import.meta.url));

/** The environment of somebody without any settings. */
const BARE = {
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_PROFILE: undefined,
  AWS_REGION: undefined,
  SITECAST_REFRESH_TOKEN: undefined,
};

let service: Simulator;

beforeAll(async () => {
  service = await startSimulator({ activity: false });
});
afterAll(() => service.close());

/** The id of no project. */
const UNKNOWN = '4711';

function liveProjects(): string[] {
  const projects = service.world.projects.list.all();
  return projects.flatMap(({ id, deleted_at }) => (deleted_at ? [] : id));
}

interface Run {
  /** Fields of the stage `prod`, besides the addresses of the simulated service. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  readonly token?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

/** The flags of a run, with a cdk.json of its own. */
async function flagsOf({ fields = {}, args = ['--stage', 'prod'] }: Run): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-preflight-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { baseUrl, authUrl } = service;
  const notifier = { prod: { baseUrl, authUrl, ...fields } };
  const file = join(folder, 'cdk.json');
  await writeFile(file, JSON.stringify({ context: { notifier } }));
  return [...args, '--cdk', file];
}

/** Runs the command in this process: starting it takes a second of CPU. */
async function preflight({ token = '', env = {}, ...run }: Run) {
  for (const [name, value] of Object.entries({ ...BARE, ...env })) vi.stubEnv(name, value);
  const lines: string[] = [];
  const sources = { env: process.env, stdin: Readable.from([token]) };
  const status = await runPreflight(await flagsOf(run), sources, (line) => lines.push(line));
  return { status, stdout: lines.join('\n') };
}

/** The environment of a command of somebody without any settings. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE, SITECAST_BUNDLES } = process.env;
  return { PATH, HOME: join(HOME, 'nobody'), NODE_COMPILE_CACHE, SITECAST_BUNDLES };
}

/** Starts the command itself. */
async function startPreflight({ token = '', ...run }: Run) {
  const args = await flagsOf(run);
  const env = bareEnvironment();
  return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) => {
      resolve({ status: error?.code ?? 0, stdout, stderr });
    });
    child.stdin?.end(token);
  });
}

afterEach(() => vi.unstubAllEnvs());

describe('npm run preflight', () => {
  it('checks a stage from its config to the first page of each list, and says what the budget means', async () => {
    const { status, stdout } = await startPreflight({ token: `${service.refreshToken}\n` });
    expect(stdout).toMatch(/^✓ config +prod: 2 fields are valid$/m);
    expect(stdout).toMatch(/^! config +baseUrl .* is this machine, which AWS cannot reach\.$/m);
    expect(stdout).toMatch(/^✓ template +the stack Sitecast-prod has \d+ resources$/m);
    expect(stdout).toMatch(/^– account +bootstrap and quotas: set region/m);
    expect(stdout).toMatch(/^✓ token +http:.* accepts the refresh token$/m);
    const [, live = 'NaN'] =
      /^✓ projects +(\d+) projects, and \d+ deleted, in 1 request$/m.exec(stdout) ?? [];
    expect(Number(live)).toBeGreaterThan(5);
    expect(stdout).toMatch(
      /^✓ lists +of project \S+: floorplans \(\d+\), template_checklists \(\d+\)$/m,
    );
    expect(stdout).toContain(`${Number(live) * 2 + 1} lists, all of them polled in 60 seconds.`);
    expect(stdout).toMatch(
      /An idle month costs about \d\.\d\d US dollars, 1\.30 of them for monitoring/,
    );
    expect(status).toBe(0);
  });

  it('reads the lists that the stage selects, and says what they alone mean and cost', async () => {
    const fields = { projects: liveProjects().slice(0, 2), resources: ['floorplans'] };
    const { status, stdout } = await preflight({ token: service.refreshToken, fields });
    expect(stdout).toMatch(/^✓ projects .*; the field projects selects 2 of them$/m);
    expect(stdout).toMatch(/^✓ lists +of project \S+: floorplans \(\d+\)$/m);
    expect(stdout).toContain('3 lists, all of them polled in 60 seconds.');
    expect(status).toBe(0);
  });

  it('warns of entries of projects that select none', async () => {
    const fields = { projects: [...liveProjects().slice(0, 1), UNKNOWN] };
    const some = await preflight({ token: service.refreshToken, fields });
    expect(some.stdout).toMatch(/^! projects .* selects 1 of them; "4711" selects none$/m);
    const none = await preflight({ token: service.refreshToken, fields: { projects: [UNKNOWN] } });
    expect(none.stdout).toMatch(/^! projects .* selects 0 of them; "4711" selects none/m);
    expect(none.stdout).toMatch(/^! lists +no project to read$/m);
    expect(none.stdout).toContain('1 list, all of them polled in 60 seconds.');
    const noLists = await preflight({ token: service.refreshToken, fields: { resources: [] } });
    expect(noLists.stdout).toMatch(/^✓ lists +none is polled but that of the projects$/m);
  });

  it('says that it waits for the request budget', async () => {
    const { baseUrl, authUrl, refreshToken } = service;
    const stopping = new AbortController();
    const findings: Finding[] = [];
    const checks = checkStage({
      ...{ stage: 'prod', fields: { baseUrl, authUrl, requestsPerMinute: 1 } },
      ...{ readToken: () => Promise.resolve(refreshToken), signal: stopping.signal },
      checkAccount: () => Readable.from([]) as AsyncIterable<Finding>,
      onFinding: (finding) => {
        findings.push(finding);
        if (finding.result === 'waiting') stopping.abort(new Error('stopped'));
      },
    });
    expect(await checks).toBeUndefined();
    expect(findings.slice(-2)).toEqual([
      {
        ...{ result: 'waiting', name: 'service' },
        text: expect.stringMatching(
          /^waits [56]\d seconds for the request budget: requestsPerMinute is 1$/,
        ) as string,
      },
      { result: 'failed', name: 'lists', text: 'stopped.' },
    ]);
  });

  it('names the additional list whose path the service does not know', async () => {
    const tasks = { name: 'tasks', entity: 'task', path: '/projects/{project_id}/tsks' };
    const { status, stdout } = await preflight({
      token: service.refreshToken,
      fields: { additionalResources: [tasks] },
    });
    expect(stdout).toMatch(
      /^✗ lists +GET \S+\/tsks was answered with 404: .* Check the path of "tasks" in additionalResources\./m,
    );
    expect(status).toBe(1);
  });

  /** A service that replaces each refresh token. Its lists are named by their last segment. */
  async function oddService(lists: Readonly<Record<string, unknown>>) {
    const { url } = await serve((response, request) => {
      const name = /[^/]*$/.exec(request.url)?.[0] ?? '';
      if (name === 'jwt')
        return json(response, 200, { access_token: 'a.b.c', refresh_token: 'next' });
      const { [name]: body } = lists;
      return Array.isArray(body) ? page(response, body) : json(response, 200, body);
    });
    return { baseUrl: url, authUrl: url };
  }

  it('goes on after a list that fails, and warns of what the others show', async () => {
    const entity = { id: 'p', updated_at: '2026-01-01T00:00:00.000Z', name: 'Harbour' };
    const fields = await oddService({
      projects: [{ ...entity, access_token: 'hidden' }],
      floorplans: { error: { code: 498, message: 'Invalid token.' } },
      template_checklists: [entity, { ...entity, id: 7, updated_at: 'hidden' }],
    });
    const { status, stdout } = await preflight({ token: 'old', fields });
    expect(stdout).toMatch(/^! token +.* accepts the refresh token, and replaces it/m);
    expect(stdout).toMatch(/^✗ lists +GET \S+\/floorplans: .*"message":"Invalid token\."/m);
    expect(stdout).toMatch(/^✓ lists +of project p: template_checklists \(1\)$/m);
    expect(stdout).toMatch(/^! pages +template_checklists: 1 of 2 entities are invalid/m);
    expect(stdout).toMatch(/^! pages +projects: .*access_token/m);
    expect(stdout).toMatch(/^! pages +projects, template_checklists: no X-Last-Synced-At/m);
    expect(stdout).toMatch(/^– pages +projects, template_checklists: no entity is deleted/m);
    expect(stdout).not.toMatch(/hidden|Harbour|next/);
    expect(stdout).not.toContain('cursor');
    // What the budget means does not depend on the list.
    expect(stdout).toContain('3 lists, all of them polled');
    expect(status).toBe(1);
  });

  it('says that no list of a project could be read', async () => {
    const project = { id: 'p', updated_at: '2026-01-01T00:00:00.000Z' };
    const fields = { ...(await oddService({ projects: [project] })), resources: ['floorplans'] };
    const { stdout, status } = await preflight({ token: 'old', fields });
    expect(stdout).toMatch(/^! lists +of project p: none could be read$/m);
    expect(status).toBe(1);
  });

  /** Credentials of a new account, which is not bootstrapped. */
  async function newAccount() {
    const aws = await serve((response, { headers }) => {
      const isSsm = String(headers['x-amz-target']).includes('GetParameter');
      if (isSsm) return json(response, 400, { __type: 'ParameterNotFound', message: 'none' });
      const AccountLimit = { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 };
      return json(response, 200, { AccountLimit });
    });
    return { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_ENDPOINT_URL: aws.url };
  }

  it.each([
    [8, /^✓ quotas +Lambda runs 10 executions at once$/m],
    [
      16,
      /^✗ quotas +Lambda runs 10 .*; 16 shards need 16\. Lower shards, or ask for a higher quota$/m,
    ],
  ])('says whether the account can run %i shards, and what they cost', async (shards, expected) => {
    const { stdout } = await preflight({
      token: service.refreshToken,
      fields: { region: 'eu-central-1', shards },
      env: await newAccount(),
    });
    expect(stdout).toMatch(expected);
    const [, usd] = /An idle month costs about (\S+) US dollars/.exec(stdout) ?? [];
    expect(Number(usd)).toBeGreaterThan(shards * 0.6);
  });

  it.each([
    [9, /^✓ quotas /m],
    [10, /^! quotas +Lambda runs 10 .* webhooks take up to 11, .* Lower maxConcurrency, or/m],
  ])('warns of webhooks that could take the executions of the poller', async (most, expected) => {
    const webhook = { protocol: 'webhook', endpoint: 'https://api.builder.eu' };
    const { stdout } = await preflight({
      token: service.refreshToken,
      fields: {
        region: 'eu-central-1',
        subscribers: [
          { ...webhook, name: 'one' },
          { ...webhook, name: 'two', endpoint: `${webhook.endpoint}/2`, maxConcurrency: most - 5 },
        ],
      },
      env: await newAccount(),
    });
    expect(stdout).toMatch(expected);
  });

  it('goes on to the account with AWS credentials', async () => {
    const { status, stdout } = await preflight({
      token: service.refreshToken,
      fields: { region: 'eu-central-1' },
      env: await newAccount(),
    });
    expect(stdout).toMatch(/^✗ bootstrap +eu-central-1 is not bootstrapped .* npx cdk bootstrap$/m);
    expect(stdout).toMatch(/^✓ quotas +Lambda runs 10 executions at once/m);
    // The rest is checked all the same.
    expect(stdout).toMatch(/^✓ lists/m);
    expect(status).toBe(1);
  });

  it('asks as the poller will: with headers and query of the stage, and for its lists', async () => {
    const branded = await serve((response, { url }) => {
      if (url === '/api_keys/jwt') json(response, 200, { access_token: 'token' });
      else page(response, [{ id: 'p', updated_at: '2024-01-02T03:04:05.678Z' }]);
    });
    const { status, stdout } = await preflight({
      token: 'x',
      fields: {
        ...{ baseUrl: branded.url, authUrl: branded.url, resources: [] },
        headers: { perPage: 'Brand-Per-Page', extra: { 'Brand-Filter': 'all' } },
        query: { projects: { view: 'full' }, users: { role: 'any' } },
        additionalResources: [{ name: 'users', entity: 'user', path: '/users' }],
      },
    });
    const [, ...lists] = branded.received;
    expect(lists.map(({ url }) => url)).toEqual([
      '/api/v3/projects?view=full',
      '/api/v3/users?role=any',
    ]);
    for (const { headers } of lists) {
      expect(headers).toMatchObject({ 'brand-per-page': '1000', 'brand-filter': 'all' });
    }
    expect(stdout).toMatch(/^✓ lists .*users \(1\)$/m);
    expect(stdout).toContain('2 lists, all of them polled');
    expect(status).toBe(0);
  });

  it('reads the lists of the account without a project, and judges them', async () => {
    const users = [{ id: 'u', updated_at: '2026-01-01T00:00:00.000Z', email: 'ada@example.com' }];
    const { stdout, status } = await preflight({
      token: 'old',
      fields: {
        ...(await oddService({ projects: [], users, teams: { error: 'none' } })),
        additionalResources: [
          { name: 'users', entity: 'user', path: '/users' },
          { name: 'teams', entity: 'team', path: '/teams' },
        ],
      },
    });
    expect(stdout).toMatch(/^✗ lists +GET \/teams: /m);
    expect(stdout).toMatch(/^! lists +no project to read: users \(1\)$/m);
    expect(stdout).toMatch(/^! pages +users: its events hold email: /m);
    expect(status).toBe(1);
  });

  it('says what is wrong with a token, never repeats it, and ends with status 1', async () => {
    const { status, stdout } = await preflight({ token: 'wrong-token-4711' });
    expect(stdout).toMatch(
      /^✗ token +The refresh token was refused: POST .* was answered with 401/m,
    );
    expect(stdout).toContain('give it as SITECAST_REFRESH_TOKEN or on standard input.');
    expect(stdout).not.toContain('wrong-token-4711');
    expect(stdout).not.toContain('aws secretsmanager');
    expect(status).toBe(1);
  });

  it('asks for a token that was not given', async () => {
    const { status, stdout } = await preflight({});
    expect(stdout).toMatch(/^✗ token +No refresh token was given: set SITECAST_REFRESH_TOKEN/m);
    expect(status).toBe(1);
  });

  it('stops at a config that is wrong, with all that is wrong with it', async () => {
    const { status, stdout } = await preflight({ fields: { everyMinute: 2, perPage: 0 } });
    expect(stdout).toMatch(/^✗ config/);
    expect(stdout).toContain('everyMinute is not known; did you mean "everyMinutes"?');
    expect(stdout).not.toContain('?.');
    expect(stdout).toContain('perPage is 0; allowed');
    expect(stdout).not.toContain('template');
    expect(status).toBe(1);
  });

  it('speaks of nothing that only a deployed poller has', async () => {
    const { stdout } = await preflight({
      fields: { authUrl: await deadAddress() },
      token: service.refreshToken,
    });
    expect(stdout).toMatch(/^✗ token +POST .* Check authUrl and the network\.$/m);
    const wrong = await preflight({
      fields: { authUrl: `${service.authUrl}/v3` },
      token: service.refreshToken,
    });
    expect(wrong.stdout).toMatch(
      /^✗ token +.* with 404\. Check that authUrl is the address of the token endpoint\./m,
    );
    const other = await preflight({
      fields: { baseUrl: `${service.baseUrl}/v3` },
      token: service.refreshToken,
    });
    expect(other.stdout).toMatch(/^✗ projects +GET \/projects was answered with 404: /m);
    expect(other.stdout).toMatch(/Check baseUrl if .* if you want this list\.$/m);
  });

  it('names the service that cannot be reached', async () => {
    const { stdout } = await preflight({
      fields: { baseUrl: await deadAddress() },
      token: service.refreshToken,
    });
    expect(stdout).toMatch(
      /^✗ projects +GET \/projects .*ECONNREFUSED.* Check baseUrl and the network\.$/m,
    );
  });

  it('names a file that does not exist', async () => {
    const args = ['--stage', 'prod', '--cdk', '/nope.json'];
    const sources = { env: {}, stdin: Readable.from(['']) };
    await expect(runPreflight(args, sources, () => undefined)).rejects.toThrow(
      '/nope.json does not exist.',
    );
  });

  it('tells of a stage that is no object what the config allows', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sitecast-preflight-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'cdk.json');
    await writeFile(file, '{"context": {"notifier": {"prod": "x"}}}');
    const lines: string[] = [];
    const sources = { env: {}, stdin: Readable.from(['']) };
    const args = ['--stage', 'prod', '--cdk', file];
    expect(await runPreflight(args, sources, (line) => lines.push(line))).toBe(1);
    expect(lines.join('\n')).toContain('notifier.prod is "x"; allowed: the fields baseUrl');
  });

  it('checks the example, whose service does not exist', async () => {
    const { status, stdout } = await preflight({ args: ['--stage', 'example'], token: 'x' });
    expect(stdout).toMatch(/^✓ config +example: \d+ fields are valid$/m);
    expect(stdout).toMatch(/^✗ token /m);
    expect(status).toBe(1);
  });

  it('ends quietly when its reader has gone', async () => {
    const args = await flagsOf({ fields: { baseUrl: await deadAddress() } });
    const child = spawn(process.execPath, [MAIN, ...args], { env: bareEnvironment() });
    child.stdin.end(service.refreshToken);
    child.stdout.once('data', () => child.stdout.destroy());
    const exited = once(child, 'exit');
    expect(await text(child.stderr)).toBe('');
    expect(await exited).toEqual([1, null]);
  });

  it.each([
    [['--stage', 'prd'], 'There is no stage "prd". Did you mean prod?'],
    [[], '--stage is missing. The stages of'],
  ])('refuses %j', async (args, message) => {
    await expect(preflight({ args })).rejects.toThrow(message);
  });

  it('refuses an unknown flag with status 2', async () => {
    const { status, stdout, stderr } = await startPreflight({ args: ['--stag', 'prod'] });
    expect(stderr).toContain('There is no flag --stag. Did you mean --stage?');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });
});
