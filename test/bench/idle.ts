import { systemClock } from '../../functions/adapters/clock/system-clock.ts';
import { makeDynamoDbStore } from '../../functions/adapters/dynamodb/state-store.ts';
import type { RunSummary } from '../../functions/core/run/run-summary.ts';
import type { Bench } from './bench.ts';
import { DEFAULTS } from './fixture/defaults.ts';
import { EncodingTopic } from './fixture/encoding.ts';
import { idleFeeds } from './fixture/idle-feeds.ts';
import { pollOnce } from './fixture/poller.ts';
import { SimulatedTable, TABLE_NAME } from './fixture/table.ts';

const EMPTY_PAGE = { entities: [], invalid: [], hasMore: false };
/** Ticks before those that are counted: the first may learn what the others then know. */
const TICKS_BEFORE = 8;

const TICK =
  'of a tick over 4,000 feeds (the lists of 2,000 projects, and the projects), none of which has anything ' +
  'new, through the store that ships. The larger figure of two: with a budget for all of them, and with the ' +
  "config's own, when a run remembers which it has polled";

export const idle: Bench = {
  name: 'idle',
  rows: [
    { key: 'idleCalls', definition: `Calls of table and topic ${TICK}.`, goal: 20 },
    {
      key: 'idleReadUnits',
      definition:
        `DynamoDB read units ${TICK}. Computed from the items' sizes by AWS's rules: one for each started ` +
        '4 KB of an answer, half of it when the read need not be consistent.',
      goal: 80,
    },
    {
      key: 'idleWriteUnits',
      definition: `DynamoDB write units ${TICK}. One for each started KB of an item that is written.`,
      goal: 20,
    },
  ],
  async measure(scale) {
    const projects = scale === 'full' ? 2_000 : 10;
    const ticks = [
      await idleTick(projects, Infinity),
      await idleTick(projects, scale === 'full' ? DEFAULTS.requestsPerMinute : 5),
    ];
    const worst = (pick: (tick: Tick) => number): number => Math.max(...ticks.map(pick));
    return {
      idleCalls: worst(({ calls }) => calls),
      idleReadUnits: worst(({ readUnits }) => readUnits),
      idleWriteUnits: worst(({ writeUnits }) => writeUnits),
    };
  },
};

/** What a tick costs. */
interface Tick {
  readonly calls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

async function idleTick(projects: number, requestsPerMinute: number): Promise<Tick> {
  const table = new SimulatedTable();
  const store = makeDynamoDbStore({ client: table.client, tableName: TABLE_NAME });
  await store.openTable();
  await store.addFeeds(idleFeeds(projects, Date.now() - 3_600_000));
  const topic = new EncodingTopic();
  let left = 0;
  const api = {
    fetchPage: () => {
      left -= 1;
      return Promise.resolve({ ...EMPTY_PAGE, readAfter: new Date().toISOString() });
    },
    allowance: () => ({ requests: left, perMinute: requestsPerMinute }),
  };
  let minutes = 0;
  const clock = { ...systemClock, now: () => Date.now() + minutes * 60_000 };
  const tick = (): Promise<RunSummary> => {
    minutes += 1;
    left = requestsPerMinute;
    return pollOnce({ api, store, topic, clock });
  };
  for (let i = 0; i < TICKS_BEFORE; i += 1) await tick();
  table.resetCounts();
  const { polled } = await tick();
  const expected = Math.min(projects * 2 + 1, requestsPerMinute);
  if (polled !== expected) throw new Error(`polled ${polled} feeds, not ${expected}`);
  return {
    calls: table.totalCalls + topic.calls,
    readUnits: table.readUnits,
    writeUnits: table.writeUnits,
  };
}
