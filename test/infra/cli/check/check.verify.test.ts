import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startSimulator, type Simulator } from '../../../../infra/local/simulator/simulator.ts';
import { json, page, serve } from '../../../support/local-server.ts';
import { runCli } from '../../../support/run-cli.ts';

let service: Simulator;

beforeAll(async () => {
  service = await startSimulator({ activity: false });
});
afterAll(() => service.close());

/** The id of no project. */

function liveProjects(): string[] {
  const projects = service.world.projects.all();
  return projects.flatMap(({ id, deleted_at }) => (deleted_at ? [] : id));
}

interface Run {
  /** Fields of the stage `prod`, besides the addresses of the simulated service. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  /** Default: that of the simulated service. */
  readonly token?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command with a cdk.json of its own. */
async function check({ fields = {}, args = ['--stage', 'prod'], token, env }: Run) {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-check-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { baseUrl, authUrl, refreshToken } = service;
  const notifier = { prod: { baseUrl, authUrl, ...fields } };
  const file = join(folder, 'cdk.json');
  await writeFile(file, JSON.stringify({ context: { notifier } }));
  const { code, ...output } = await runCli(['check', ...args, '--cdk', file], {
    env: { SITECAST_REFRESH_TOKEN: token ?? refreshToken, ...env },
  });
  return { status: code, ...output };
}

describe('sitecast check', () => {
  it('checks a stage from its config to the first page of each list, and says what the budget means', async () => {
    const { status, stdout } = await check({});
    expect(stdout).toMatch(/^✓ config +prod: 2 fields are valid$/m);
    expect(stdout).toMatch(/^! config +baseUrl .* is this machine, which AWS cannot reach\.$/m);
    expect(stdout).toMatch(/^✓ template +the stack Sitecast-prod has \d+ resources$/m);
    expect(stdout).toMatch(/^– bootstrap +set region/m);
    expect(stdout).toMatch(/^✓ token +http:.* accepts the refresh token$/m);
    const [, live = 'NaN'] =
      /^✓ projects +(\d+) projects, and \d+ deleted, in 1 request$/m.exec(stdout) ?? [];
    expect(Number(live)).toBeGreaterThan(5);
    expect(stdout).toMatch(
      /^✓ lists +of project \S+: floorplans \(\d+\), template_checklists \(\d+\)$/m,
    );
    const lists = `${Number(live) * 2 + 1} lists, all of them polled in 60 seconds;`;
    expect(stdout).toContain(`✓ budget     ${lists}`);
    expect(status).toBe(0);
  });

  it('reads the lists that the stage selects, and says what they alone mean', async () => {
    const fields = { projects: liveProjects().slice(0, 2), resources: ['floorplans'] };
    const { status, stdout } = await check({ fields });
    expect(stdout).toMatch(/^✓ projects .*; the field projects selects 2 of them$/m);
    expect(stdout).toMatch(/^✓ lists +of project \S+: floorplans \(\d+\)$/m);
    expect(stdout).toContain('3 lists, all of them polled in 60 seconds;');
    expect(status).toBe(0);
  });

  it('names the additional list whose path the service does not know', async () => {
    const tasks = { name: 'tasks', entity: 'task', path: '/projects/{project_id}/tsks' };
    const { status, stdout } = await check({
      fields: { additionalResources: [tasks] },
    });
    expect(stdout).toMatch(/^✗ lists +GET \S+\/tsks was answered with 404: /m);
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
    const { status, stdout } = await check({ token: 'old', fields });
    expect(stdout).toMatch(/^! token +.* accepts the refresh token, and replaces it/m);
    expect(stdout).toMatch(/^✗ lists +GET \S+\/floorplans: .*"message":"Invalid token\."/m);
    expect(stdout).toMatch(/^✓ lists +of project p: template_checklists \(1\)$/m);
    expect(stdout).toMatch(/^! pages +template_checklists: 1 of 2 entities are invalid/m);
    expect(stdout).toMatch(/^– pages +projects, template_checklists: no entity is deleted/m);
    expect(stdout).not.toMatch(/hidden|Harbour|next/);
    expect(stdout).not.toContain('cursor');
    // What the budget means does not depend on the list.
    expect(stdout).toContain('3 lists, all of them polled');
    expect(status).toBe(1);
  });

  it('names the account that is not bootstrapped', async () => {
    const aws = await serve((response) =>
      json(response, 400, { __type: 'ParameterNotFound', message: 'none' }),
    );
    const { stdout } = await check({
      fields: { region: 'eu-central-1' },
      env: { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_ENDPOINT_URL: aws.url },
    });
    expect(stdout).toMatch(/^✗ bootstrap +eu-central-1 is not bootstrapped/m);
  });

  it('asks as the poller will: with headers and query of the stage, and for its lists', async () => {
    const branded = await serve((response, { url }) => {
      if (url === '/api_keys/jwt') json(response, 200, { access_token: 'token' });
      else page(response, [{ id: 'p', updated_at: '2024-01-02T03:04:05.678Z' }]);
    });
    const { status, stdout } = await check({
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

  it('says what is wrong with a token, never repeats it, and ends with status 1', async () => {
    const { status, stdout } = await check({ token: 'wrong-token-4711' });
    expect(stdout).toMatch(
      /^✗ token +The refresh token was refused: POST .* was answered with 401/m,
    );
    expect(stdout).toContain('give it as SITECAST_REFRESH_TOKEN or on standard input.');
    expect(stdout).not.toContain('wrong-token-4711');
    expect(stdout).not.toContain('aws secretsmanager');
    expect(status).toBe(1);
  });

  it('writes one JSON document for programs', async () => {
    const { stdout, stderr } = await check({ args: ['--stage', 'prod', '--json'], token: 'x' });
    const { stage, findings } = JSON.parse(stdout) as { stage: string; findings: object[] };
    expect(stage).toBe('prod');
    expect(findings.at(-1)).toMatchObject({ result: 'failed', name: 'token' });
    expect(stderr).toBe('1 check failed.\n');
  });
});
