import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startListening, type LocalServer } from '../../../infra/local/embedded/http-server.ts';
import { runCli } from '../../support/run-cli.ts';

/** Stacks of an account, by name, with the name of their control function. */
const STACKS: Readonly<Record<string, string | undefined>> = {
  'Sitecast-prod': 'works',
  BuildingSite: 'works',
  Old: undefined,
  Gone: 'gone',
  Denied: 'denied',
  Broken: 'broken',
  Odd: 'odd',
  Ending: 'ending',
};

const STATUS = {
  command: 'status',
  shards: 1,
  totals: { lists: 0, failing: 0, byState: {} },
  runs: [],
  matchCount: 0,
  lists: [],
  jobs: [],
};

const ORDERED = {
  ...{ command: 'replay', id: 'c1', listCount: 1, examples: ['projects'] },
  ...{ changedCount: 1, jobCount: 0, pausedCount: 0, deletedCount: 0 },
};

/** Answer to the test of a webhook that is disabled. */
const DISABLED = { name: 'off', id: 'e2', disabled: true };

/** Answers about webhooks, by command. */
const WEBHOOK_ANSWERS: Readonly<Record<string, object>> = {
  'webhook-list': { webhooks: [] },
  'webhook-test': { name: 'crm', id: 'e1' },
  'webhook-enable': { name: 'crm' },
  'webhook-disable': { error: { name: 'X', message: 'There is no webhook "crm".', hint: 'Y.' } },
  'webhook-attempts': { name: 'crm', attempts: [], isComplete: true },
  'webhook-resend': { name: 'crm', resentCount: 1, isComplete: false, hiddenCount: 0 },
};

let aws: LocalServer;
let folder: string;
let asked: { region: string | undefined; body: string }[] = [];

function describeStack(name: string): string {
  const outputs = {
    TopicArn: 'arn',
    RefreshTokenSecretArn: 'arn',
    ControlFunctionName: STACKS[name],
  };
  const members = Object.entries(outputs).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [`<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`],
  );
  return `<member><StackName>${name}</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs></member>`;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** CloudFormation, as far as the command line calls it. */
function answerCloudFormation(wanted: string | null): Reply {
  const fail = (code: string, message: string): Reply => ({
    status: 400,
    body: `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
  });
  if (wanted === 'Secret') return fail('AccessDenied', 'User is not authorized');
  if (wanted === 'Expired') return fail('ExpiredToken', 'The token is expired');
  if (wanted !== null && !Object.hasOwn(STACKS, wanted)) {
    return fail('ValidationError', `Stack with id ${wanted} does not exist`);
  }
  const found = wanted === null ? Object.keys(STACKS) : [wanted];
  const stacks = `<Stacks>${found.map(describeStack).join('')}</Stacks>`;
  return {
    body: `<DescribeStacksResponse><DescribeStacksResult>${stacks}</DescribeStacksResult></DescribeStacksResponse>`,
  };
}

const DENIED = 'User: me is not authorized to perform: lambda:InvokeFunction on resource: denied';

/** Lambda's Invoke of a function that fails as its name says. */
function answerLambda(name: string, request: string): Reply {
  const refuse = (status: number, type: string, message = 'no'): Reply => {
    const body = JSON.stringify({ Message: message });
    return { status, headers: { 'x-amzn-errortype': type }, body };
  };
  if (name === 'gone') return refuse(404, 'ResourceNotFoundException');
  if (name === 'denied') return refuse(403, 'AccessDeniedException', DENIED);
  if (name === 'odd') return { body: '{"hello":"you"}' };
  const { command, name: webhook } = JSON.parse(request) as { command: string; name?: string };
  const aboutWebhooks = webhook === 'off' ? DISABLED : WEBHOOK_ANSWERS[command];
  if (aboutWebhooks) return { body: JSON.stringify({ command, ...aboutWebhooks }) };
  if (name === 'ending' && command === 'replay') return { body: JSON.stringify(ORDERED) };
  if (name !== 'broken' && name !== 'ending') return { body: JSON.stringify(STATUS) };
  const body = JSON.stringify({ errorType: 'TypeError', errorMessage: 'x is not a function' });
  return { headers: { 'x-amz-function-error': 'Unhandled' }, body };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers, url = '' } = request;
  const content = await text(request);
  const region = /\/([a-z0-9-]+)\/(?:cloudformation|lambda)\//.exec(
    headers.authorization ?? '',
  )?.[1];
  asked.push({ region, body: content });
  const [, name] = /functions\/(\w+)\/invocations/.exec(url) ?? [];
  const reply =
    name === undefined
      ? answerCloudFormation(new URLSearchParams(content).get('StackName'))
      : answerLambda(name, content);
  response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
}

beforeAll(async () => {
  aws = await startListening(createServer((request, response) => void answer(request, response)));
  folder = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  const notifier = { dev: {}, prod: { region: 'eu-west-1' } };
  await writeFile(join(folder, 'cdk.json'), JSON.stringify({ context: { notifier } }));
});

afterAll(async () => {
  await aws.close();
  await rm(folder, { recursive: true });
});

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

function run(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = CREDENTIALS,
) {
  return runCli(args, {
    cwd: folder,
    env: { AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: aws.url, TMPDIR: folder, ...env },
  });
}

describe.concurrent('a command line that fails', () => {
  it.each<[string, number, RegExp]>([
    ['statsu', 2, /`statsu`, did you mean `status`\?/],
    ['status --stgae dev', 2, /--stgae, did you mean --stage\?/],
    ['status --local now', 2, /"now"/],
    ['status --local --state odd', 2, /^--state is "odd"; allowed: live, baseline, waiting/],
    ['rewind --local --all --to yesterday', 2, /^--to is "yesterday"; allowed: a time/],
    ['reconcile --local --all --force=maybe', 2, /^--force is "maybe"; allowed: true, false/],
    ['rewind --local --all', 2, /--to/],
    ['status', 2, /^No stack was named\.\n.* Stages of cdk\.json: dev, prod\./],
    ['listen --local --type foo', 2, /^--type is "foo"; allowed: a type that ends in \.created/],
    ['listen --local --project Tower', 2, /^--project is "Tower"; allowed: the id/],
    ['webhooks lst --local', 2, /`lst`/],
    ['status --stage dev --local', 2, /^--stage contradicts --local\./],
    ['status --stage prdo', 2, /^There is no stage "prdo"\.\n.* dev, prod\./],
    ['pause --stage prod', 2, /no scope was given/],
    ['quarantine drop --stage prod', 2, /or --all\.\nsitecast quarantine list --stage prod /],
    ['quarantine retry --stage prod abcd --all', 2, /either ids of items, or --all\./],
    ['quarantine show --stage prod xyz', 2, /^<id> is "xyz"; allowed/],
    ['webhooks attempts crm --limit 0 --stage prod', 2, /^--limit is "0"; allowed/],
    ['quarantine list --stack Denied', 1, /^quarantine list failed: .* lambda:InvokeFunction/],
    ['pause --stage prod --all --list projects', 2, /^--all contradicts --list\./],
    ['trigger project.created', 1, /^There is no local stack of this folder\.\nRun sitecast dev/],
    ['status --stage dev', 1, /^The stack Sitecast-dev was not found: us-east-1 has none/],
    ['status --stack Secret', 1, /Secret cannot be looked up: User is not authorized/],
    ['status --stack Expired', 1, /AWS refuses the credentials\.\nLog in/],
    ['status --stack Old', 1, /^status failed: Old has no control function\.\nDeploy it again/],
    ['pause --stack Gone --all', 1, /^pause failed: ResourceNotFoundException/],
    ['retry --stack Broken --all', 1, /ended with TypeError: .*\n.* \/aws\/lambda\/broken/],
    ['status --stack Odd', 1, /^status failed: odd answers another protocol\./],
  ])('%s', async (line, code, message) => {
    const { stderr, ...ended } = await run(line.split(' '));
    expect(ended).toEqual({ code, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('to its end, though lists have their jobs, by its own name', async () => {
    expect(await run(['replay', '--stack', 'Ending', '--all', '--since', '2d'])).toEqual({
      code: 1,
      stdout: 'To be replayed: 1 list: projects.\n',
      stderr: expect.stringMatching(/^replay failed: the control function ended with /) as string,
    });
  });

  it.each(['status --state odd', 'statsu', 'listen'])('%s, also for programs', async (line) => {
    const { code, stdout } = await run([...line.split(' '), '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([2, { error: { name: 'UsageError' } }]);
  });

  it('as JSON with its error', async () => {
    const { code, stdout, stderr } = await run(['status', '--stack', 'Old', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      {
        error: {
          name: 'CliError',
          message: 'status failed: Old has no control function.',
          hint: 'Deploy it again with this version of Sitecast.',
        },
      },
    ]);
    expect(stderr).toContain('status failed: Old has no control function.');
  });

  it('for want of credentials', async () => {
    expect((await run(['status', '--stack', 'Old'], {})).stderr).toBe(
      'The stack Old cannot be looked up: there are no AWS credentials.\nLog in (aws sso login, or aws configure), or name another profile with --profile.\n',
    );
  });

  it('for want of a region', async () => {
    const { stderr } = await run(['status', '--stack', 'Old'], {
      ...CREDENTIALS,
      AWS_REGION: undefined,
    });
    expect(stderr).toBe(
      'The stack Old cannot be looked up: no AWS region is known.\nAdd --region, set AWS_REGION, or name a profile that has a region with --profile.\n',
    );
  });
});

describe('a deployed stack', () => {
  it.each([
    ['--stage prod', 'eu-west-1', 'Sitecast-prod'],
    ['--stack BuildingSite --region eu-north-1', 'eu-north-1', 'BuildingSite'],
  ])('is found by %s in its region', async (flags, region, name) => {
    asked = [];
    const { code, stdout } = await run(['status', ...flags.split(' '), '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, STATUS]);
    expect(asked.map((request) => request.region)).toEqual([region, region]);
    expect(asked[0]?.body).toContain(`StackName=${name}`);
    expect(JSON.parse(asked[1]?.body ?? '')).toMatchObject({ command: 'status' });
  });
});

it.each<[string, object, string]>([
  ['list', {}, 'The stack has no webhooks.'],
  ['test crm', { name: 'crm' }, 'sitecast webhooks attempts crm'],
  ['test off', { name: 'off' }, 'off is disabled'],
  ['enable crm', { name: 'crm' }, 'crm is enabled.'],
  ['disable crm', { name: 'crm' }, 'webhooks disable was refused: There is no webhook "crm".\nY.'],
  ['attempts crm --failed --limit 7', { name: 'crm', limit: 7, failed: true }, 'no such attempts'],
  ['resend crm --since 2026-01-01', { name: 'crm', since: '2026-01-01T00:00:00.000Z' }, 'repeat'],
])('webhooks %s asks for %j', async (line, request, expected) => {
  asked = [];
  const { stdout, stderr } = await run(['webhooks', ...line.split(' '), '--stage', 'prod']);
  const [command] = line.split(' ');
  expect(JSON.parse(asked.at(-1)?.body ?? '')).toEqual({
    command: `webhook-${command}`,
    ...request,
  });
  expect(stdout + stderr).toContain(expected);
});
