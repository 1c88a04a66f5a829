import { readFile } from 'node:fs/promises';
import {
  PutItemCommand,
  ScanCommand,
  type AttributeValue,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  feedItem,
  FORMAT_KEY,
  number,
  type Item,
} from '../../../../functions/adapters/dynamodb/items.ts';
import { DynamoDbStore } from '../../../../functions/adapters/dynamodb/state-store.ts';
import { FatalError, TableFormatError } from '../../../../functions/core/model/errors.ts';
import { FEED_PARTITIONS, type Feed } from '../../../../functions/core/model/feed.ts';
import { RecordingTelemetry } from '../../../support/recording-telemetry.ts';
import { endedGuard, feedOf, stateOf, guardFor, readState } from '../../../support/samples.ts';
import { entityAt, PROJECTS, Site } from '../../../support/site.ts';
import { testAws } from '../../../support/test-aws.ts';

const FIXTURE = new URL('../../../fixtures/table-format-0/items.json', import.meta.url);
const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);
const P = '11111111-1111-4111-8111-111111111111';
const Q = '22222222-2222-4222-8222-222222222222';
const FLOORPLANS = `projects/${P}/floorplans`;
const CHECKLISTS = `projects/${P}/template_checklists`;
const TIME = '2026-11-20T08:00:00.000Z';
const [CHANGED_AT, NOT_BEFORE] = [1763625600000, 1763629200000];

const caughtUp = { cursor: TIME, lookbackMs: 60_000 };
/** The feeds of the fixture. */
const FEEDS: Feed[] = [
  {
    ...{ id: 'projects', phase: 'live', ...caughtUp, boundary: 'cd65ea2c2ad99e94' },
    ...{ failures: 0, notBefore: 0, lastChange: CHANGED_AT, recentChanges: 3.5, revision: 7 },
    // Of an earlier version, and kept.
    ...{
      followed: ['/projects/{project_id}/floorplans', '/projects/{project_id}/template_checklists'],
    },
  },
  feedOf({
    ...{ projectId: P, accountId: '42', ...caughtUp, boundary: '8fbad084cb758606' },
    ...{ lastChange: CHANGED_AT, recentChanges: 1.25, revision: 12 },
  }),
  feedOf({
    ...{ id: CHECKLISTS, projectId: P, accountId: '42', phase: 'baseline', cursor: TIME },
    ...{ failures: 2, notBefore: NOT_BEFORE, revision: 3 },
  }),
  feedOf({
    ...{ projectId: Q, parked: 'project-deleted', ...caughtUp },
    ...{ notBefore: NOT_BEFORE, revision: 9 },
  }),
  feedOf({
    ...{ id: `projects/${Q}/template_checklists`, projectId: Q, parked: 'refused' },
    ...{ notBefore: NOT_BEFORE, revision: 2 },
  }),
  feedOf({ id: `sites/${Q}/more/reports`, projectId: Q, revision: 1 }),
];

const PLAN = { id: 'f1', name: 'Ground floor', updated_at: TIME, created_at: TIME };
/** An entity state with its content read. */
type ReadState = NonNullable<ReturnType<typeof readState>>;
const state = (key: string, fields: Partial<ReadState>): ReadState => ({
  ...{ key, version: TIME, sequence: TIME, deleted: false, content: undefined, ...fields },
});
/** The entity states of the fixture, by feed. */
const STATES: Readonly<Record<string, readonly ReadState[]>> = {
  projects: [
    state(`project#${P}`, {
      content: { id: P, name: 'Tower', account_id: 42, updated_at: TIME },
    }),
    state(`project#${Q}`, {
      deleted: true,
      content: { id: Q, name: 'Bridge', deleted_at: TIME, updated_at: TIME },
    }),
  ],
  [FLOORPLANS]: [
    state('floorplan#f1', {
      nested: { sheets: 'db5bda0c50d94c1e' },
      content: { ...PLAN, deleted_at: null },
    }),
    state('floorplan#f2', {
      content: { ...PLAN, id: 'f2', deleted_at: null, note: 'concrete '.repeat(400) },
    }),
    state('floorplan#f3', {
      digests: {
        ...{ id: '4e319c63b3dafcef', name: 'cde3efc9b7ddfa41', updated_at: '3632af36a939280e' },
        ...{ created_at: '3632af36a939280e', deleted_at: '74234e98afe7498f' },
      },
    }),
  ],
  [CHECKLISTS]: [
    state('template_checklist#c1', {
      nested: { template_check_items: `>${TIME}` },
      content: { id: 'c1', name: 'Handover', updated_at: TIME },
    }),
    state('template_check_item#c1#i1', {
      ...{ sequence: '2026-11-20T08:00:00.001Z', deleted: true, missing: true },
      content: { id: 'i1', name: 'Doors', updated_at: TIME },
    }),
    state('template_check_item#c1#i2', {
      pendingEvent: { action: 'updated', changed: ['name'], previous: { name: 'Windows' } },
      content: { id: 'i2', name: 'Window frames', updated_at: TIME },
    }),
    state('invalid#8ef49fe47ecf761c', {
      ...{ version: '1970-01-01T00:00:00.000Z', sequence: '1970-01-01T00:00:00.000Z' },
    }),
  ],
};

const aws = testAws();
let tableName: string;
let telemetry: RecordingTelemetry;
let store: DynamoDbStore;

beforeEach(async () => {
  tableName = await aws.createTable();
  store = newProcess();
});

/** A store that has not opened the table yet. */
function newProcess(client: DynamoDBClient = aws.clients.dynamodb, concurrency = 32) {
  telemetry = new RecordingTelemetry();
  return new DynamoDbStore({ client, tableName, concurrency, telemetry });
}

async function putItems(items: readonly Item[]): Promise<void> {
  const puts = items.map((Item) => new PutItemCommand({ TableName: tableName, Item }));
  await Promise.all(puts.map((put) => aws.clients.dynamodb.send(put)));
}

async function readFixture(): Promise<Item[]> {
  const json = await readFile(FIXTURE, 'utf8');
  return JSON.parse(json, (_, value: AttributeValue & { base64?: string }) =>
    value.base64 === undefined ? value : Buffer.from(value.base64, 'base64'),
  ) as Item[];
}

/** All items by their keys, without the random marks of puts. */
async function scanTable(): Promise<Record<string, Item>> {
  const { Items = [] } = await aws.clients.dynamodb.send(new ScanCommand({ TableName: tableName }));
  const byKey = Items.map(({ w, ...item }): [string, Item] => [
    `${item['pk']?.S} ${item['sk']?.S}`,
    item,
  ]);
  return Object.fromEntries(byKey.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function loadEverything() {
  const feeds = await store.loadFeeds(ALL_PARTITIONS);
  const states = Object.entries(STATES).map(async ([feedId, expected]) => {
    const found = await store.loadStates(
      feedId,
      expected.map(({ key }) => key),
    );
    return [feedId, expected.map(({ key }) => readState(found.get(key)))] as const;
  });
  return { feeds: sortById(feeds), states: Object.fromEntries(await Promise.all(states)) };
}

const sortById = (feeds: readonly Feed[]) => feeds.toSorted((a, b) => (a.id < b.id ? -1 : 1));
const EVERYTHING = { feeds: sortById(FEEDS), states: STATES };

/** A process whose calls fail once a write has changed the table. */
function processKilledAfterAWrite() {
  const client = aws.freshClients().dynamodb;
  let isKilled = false;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const output = isKilled ? undefined : await next(args);
        isKilled ||= /Put|Update|Delete|Write/.test(commandName);
        if (isKilled || output === undefined) throw new Error('killed');
        return output;
      },
    { step: 'initialize' },
  );
  return newProcess(client, 1);
}

describe('a new table', () => {
  it('gets the current format, which a second process finds', async () => {
    await store.openTable();
    await newProcess().openTable();
    expect(await scanTable()).toEqual({
      'table format': { pk: { S: 'table' }, sk: { S: 'format' }, v: { N: '1' } },
    });
    expect(telemetry.logs).toEqual([]);
  });

  it('gets it once when several processes open it at the same time', async () => {
    await Promise.all([store, newProcess(), newProcess()].map((each) => each.openTable()));
    expect(Object.keys(await scanTable())).toEqual(['table format']);
  });

  it('costs no further call in the same process', async () => {
    const client = aws.freshClients().dynamodb;
    const opened = newProcess(client);
    await opened.openTable();
    client.destroy();
    client.middlewareStack.add(() => () => Promise.reject(new Error('called')), {
      step: 'initialize',
    });
    await opened.openTable();
  });
});

describe('a table of a newer format', () => {
  it('is refused with what to do, and nothing is written', async () => {
    await putItems([...(await readFixture()), { ...FORMAT_KEY, v: number(2) }]);
    const before = await scanTable();
    for (const refused of [store.checkFormat(), store.openTable(), store.openTable()]) {
      await expect(refused).rejects.toThrow(TableFormatError);
      await expect(refused).rejects.toThrow(FatalError);
      await expect(refused).rejects.toThrow(
        `Table ${tableName} has format 2, and this version of Sitecast supports format 1.`,
      );
      await expect(refused).rejects.toHaveProperty(
        'hint',
        expect.stringMatching(/^Deploy the newer version again, or restore/),
      );
    }
    expect(await scanTable()).toEqual(before);
  });

  it('ends the run before anything is polled, and the lease is released', async () => {
    await putItems([{ ...FORMAT_KEY, v: number(2) }]);
    const site = new Site();
    await expect(site.poll({}, { store })).rejects.toThrow(TableFormatError);
    expect(site.api.requests).toEqual([]);
    const lease = { shard: '0', owner: 'next', expiresAt: 2 };
    expect(await store.acquireLease(lease, 1)).toBeDefined();
    expect(Object.keys(await scanTable())).toEqual(['shard#0 lease', 'table format']);
  });
});

describe('a table of format 0', () => {
  beforeEach(async () => putItems(await readFixture()));

  it('is migrated: feeds and entity states are read as they were', async () => {
    await store.openTable();
    expect(await loadEverything()).toEqual(EVERYTHING);
    const keys = Object.keys(await scanTable());
    expect(keys).toContain('table format');
    expect(keys.filter((key) => /known#|unusable#|!plan/.test(key))).toEqual([]);
    const message = 'A partition of the table was migrated to format 1';
    expect(telemetry.logs.map((log) => log.message)).toEqual(telemetry.logs.map(() => message));
    const total = (name: string) =>
      telemetry.logs.reduce((sum, { fields }) => sum + Number(fields[name]), 0);
    expect([total('feeds'), total('migratedFeeds'), total('movedStates')]).toEqual([6, 6, 9]);
  });

  it('continues after the partitions that earlier runs completed', async () => {
    const feeds = Array.from({ length: 60 }, (_, i) => feedOf({ projectId: `p${i}` }));
    await putItems(feeds.map(feedItem));
    let runs = 0;
    for (let isStopped = true; isStopped && runs < 40; runs += 1) {
      const { guard } = guardFor(30);
      isStopped = await newProcess(undefined, 1)
        .openTable(guard)
        .then(
          () => false,
          () => true,
        );
    }
    expect(runs).toBeGreaterThan(2);
    expect((await scanTable())['table format']).toMatchObject({ v: { N: '1' } });
  });

  it('is migrated to the same items by processes that are killed after every write', async () => {
    await store.openTable();
    const migrated = await scanTable();
    tableName = await aws.createTable();
    await putItems(await readFixture());
    let kills = 0;
    const isKilled = () =>
      processKilledAfterAWrite()
        .openTable()
        .then(
          () => false,
          (error: unknown) => (error as Error).message === 'killed',
        );
    while (await isKilled()) kills += 1;
    expect(kills).toBeGreaterThan(12);
    expect(await scanTable()).toEqual(migrated);
  });

  it('is migrated once by processes that open it at the same time', async () => {
    await Promise.all([store, newProcess(), newProcess()].map((each) => each.openTable()));
    expect(await loadEverything()).toEqual(EVERYTHING);
  });

  it('keeps a state and a feed that were written by a run since', async () => {
    const newer = { ...stateOf('f1'), version: '2026-11-21T08:00:00.000Z' };
    await store.saveStates(FLOORPLANS, [newer]);
    const [projects] = FEEDS;
    const committed = projects && (await store.commitFeed(projects));
    await newProcess().openTable();
    const { feeds, states } = await loadEverything();
    expect(states[FLOORPLANS]?.[0]).toEqual(readState(newer));
    expect(feeds[0]).toEqual(committed);
    expect(Object.keys(await scanTable()).filter((key) => key.startsWith('known#'))).toEqual([]);
  });

  it.each([0, 3, 10])('is not migrated beyond %i calls without the lease', async (calls) => {
    const { guard, loss } = calls === 0 ? endedGuard() : guardFor(calls);
    await expect(newProcess(undefined, 1).openTable(guard)).rejects.toBe(loss);
    expect((await scanTable())['table format']).not.toMatchObject({ v: { N: '1' } });
    expect(telemetry.logs.at(-1)?.message).toBe(
      'Table migration to format 1 stopped; the next run continues it',
    );
    await newProcess().openTable();
    expect(await loadEverything()).toEqual(EVERYTHING);
  });

  it('raises no event for anything that was known before', async () => {
    const site = new Site({ filter: '>=' });
    site.clock.advance(Date.parse('2026-11-20T12:00:00.000Z') - site.clock.now());
    const shown = (id: string, fields = {}) => entityAt(id, 0, { updated_at: TIME, ...fields });
    site.api.put(PROJECTS, shown(P, { name: 'Tower', account_id: 42 }));
    site.api.put(PROJECTS, shown(Q, { name: 'Bridge', deleted_at: TIME }));
    for (const id of ['f1', 'f2', 'f3']) site.api.put(`/${FLOORPLANS}`, shown(id));
    const items = [shown('i2', { name: 'Window frames' })];
    site.api.put(`/${CHECKLISTS}`, shown('c1', { template_check_items: items }));
    const later = { updated_at: '2026-11-20T11:00:00.000Z', name: 'First floor' };
    site.api.put(`/${FLOORPLANS}`, shown('f1', later));
    for (let n = 0; n < 3; n += 1) await site.poll({}, { store });
    const events = site.takeEvents().map(({ type, subject }) => `${type} ${subject}`);
    expect(events.sort()).toEqual([
      `floorplan.updated /${FLOORPLANS}/f1`,
      // Its event was pending in the fixture.
      `template_check_item.updated /${CHECKLISTS}/c1/template_check_items/i2`,
    ]);
  });
});
