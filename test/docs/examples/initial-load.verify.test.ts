import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listsOf, load, repair } from '../../../docs/examples/initial-load.ts';
import { createTable } from '../../../docs/examples/latest-state.ts';
import { startSimulator, type Simulator } from '../../../infra/local/simulator/simulator.ts';
import { testAws } from '../../support/test-aws.ts';
import { typeCheck } from '../../support/type-check.ts';

const TABLE = 'mirror';
const NOWHERE = 'http://127.0.0.1:1';
const aws = testAws();
let service: Simulator;

beforeAll(async () => {
  service = await startSimulator({ size: { projects: 1, shortProjects: 1, floorplans: 3 } });
  await createTable(aws.clients.dynamodb, TABLE);
  // It may exist already.
  await createTable(aws.clients.dynamodb, TABLE);
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await service.close();
});

const sequences = async (): Promise<Map<string, string>> => {
  const { Items = [] } = await aws.clients.dynamodb.send(new ScanCommand({ TableName: TABLE }));
  return new Map(Items.map(({ entity, sequence }) => [entity?.S ?? '', sequence?.S ?? '']));
};

it('loads every entity over HTTP, and repairs what a lost event left behind', async () => {
  const { world, baseUrl } = service;
  // As `npm start` prints them.
  const printed = { baseUrl: `${baseUrl}/api/v3`, authUrl: `${service.authUrl}/api_keys/jwt` };
  const { refreshToken } = service;
  const access = { ...printed, refreshToken, serviceVersion: '2021-01-01' };
  await load(access, aws.clients.dynamodb, TABLE);
  const loaded = await sequences();
  const projects = world.projects.all();
  const paths = [...loaded.keys()].map((entity) => entity.replace(`${baseUrl}/api/v3`, ''));
  for (const { id } of projects) expect(paths).toContain(`/projects/${id}`);
  for (const part of [/\/floorplans\/[^/]+$/, /\/sheets\//, /\/template_check_items\//]) {
    expect(paths.filter((path) => part.test(path)).length, String(part)).toBeGreaterThan(2);
  }

  // An hour passes, and the token expires.
  const [project] = projects;
  service.tokens.expireAccessTokens();
  world.projects.update(project?.id ?? '', { name: 'Tower' });
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 3_600_000);
  await repair(access, aws.clients.dynamodb, TABLE);
  expect(
    warn.mock.calls.map(([kind, subject]) => `${kind as string} ${subject as string}`),
  ).toEqual([`outdated /projects/${project?.id ?? ''}`]);
  const entity = `${baseUrl}/api/v3/projects/${project?.id ?? ''}`;
  expect((await sequences()).get(entity)).not.toBe(loaded.get(entity));
});

it('requests the lists as the config of the operator says', async () => {
  const { baseUrl, authUrl, refreshToken } = service;
  const lists = listsOf({
    ...{ baseUrl, authUrl, refreshToken, serviceVersion: '2021-03-01', withCurrentSheet: true },
    headers: { version: 'Brand-Version', perPage: 'Brand-Size', extra: { 'Brand-Filter': 'all' } },
    query: { users: { view: 'full' } },
    additionalResources: [{ name: 'users', path: '/people' }],
  });
  expect(lists).toMatchObject({ withCurrentSheet: true, additionalPaths: ['/people'] });
  const fetched = vi.spyOn(globalThis, 'fetch');
  await lists.get(`${baseUrl}/api/v3/people?a=1`, { 'Service-Per-Page': '7' });
  const [url, options] = fetched.mock.lastCall ?? [];
  fetched.mockRestore();
  expect(url).toBe(`${baseUrl}/api/v3/people?a=1&view=full`);
  expect(Object.fromEntries(new Headers(options?.headers))).toMatchObject({
    ...{ 'brand-version': '2021-03-01', 'brand-size': '7', 'brand-filter': 'all' },
  });
});

describe.concurrent('as a program', () => {
  /** Runs it with other arguments. @returns its exit code, and what it printed. */
  const run = async (changes: Partial<Record<'service' | 'file' | 'database', string>>) => {
    const folder = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
    const file = join(folder, 'token');
    await writeFile(file, `${service.refreshToken}\n`);
    const endpoint = await aws.clients.dynamodb.config.endpoint?.();
    const given = {
      ...{ service: `${service.baseUrl}/api/v3`, auth: service.authUrl, file },
      ...{ database: `http://${endpoint?.hostname}:${endpoint?.port}`, ...changes },
    };
    const args = ['docs/examples/initial-load.ts', ...Object.values(given)];
    const ended = promisify(execFile)(process.execPath, args);
    try {
      return { code: 0, ...(await ended) };
    } catch (error) {
      return error as Awaited<typeof ended> & { readonly code: number };
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  it('prints what it loaded and compared, and once what it left out', async () => {
    const { floorplans, projects } = service.world;
    const list = floorplans.list(projects.all()[0]?.id ?? '');
    const { id, project_id: projectId } = list.update(list.all()[0]?.id ?? '', { deleted_at: '-' });
    const place = `/projects/${projectId}/floorplans/${id}`;
    expect(await run({})).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(`^left out: ${place}: deleted_at must be .+\\n$`) as string,
      stdout: expect.stringMatching(
        /^\d+ entities loaded\.\n\d+ entities older than an hour compared, \d+ differences\.\n$/,
      ) as string,
    });
  });

  it.each([
    [{ file: '/none' }, 'The refresh token cannot be read: ENOENT'],
    [{ service: NOWHERE }, `${NOWHERE}/api/v3/projects`],
    [{ database: NOWHERE }, `${NOWHERE} cannot be used: connect ECONNREFUSED`],
  ])('says in a sentence why it cannot work with %j', async (changes, text) => {
    const { code, stderr } = await run(changes);
    expect([code, stderr]).toEqual([1, expect.stringContaining(text)]);
    expect(stderr).toMatch(/^.+\n$/);
  });
});

it('the examples type-check in a project that is only strict', async () => {
  // Within the project, whose types it needs, where no other check looks.
  const folder = await mkdtemp('node_modules/.plain-');
  const project = {
    extends: '../../tsconfig.json',
    compilerOptions: { exactOptionalPropertyTypes: false, lib: ['esnext', 'dom', 'dom.iterable'] },
    include: ['../../docs/examples'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
  try {
    await typeCheck(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
});
