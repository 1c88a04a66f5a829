import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { load, repair } from '../../../docs/examples/initial-load.ts';
import { createTable } from '../../../docs/examples/latest-state.ts';
import { startService, type RunningService } from '../../../infra/local/service/server.ts';
import { testAws } from '../../support/test-aws.ts';

const TABLE = 'mirror';
const aws = testAws();
let service: RunningService;

beforeAll(async () => {
  service = await startService({ size: { projects: 1, shortProjects: 1, floorplans: 3 } });
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
  const projects = world.projects.list.all();
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
