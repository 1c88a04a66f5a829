import { DynamoDbStore } from '../../functions/adapters/dynamodb-store.ts';
import type { Bench } from './bench.ts';
import { EncodingTopic } from './fixture/encoding.ts';
import { idleFeeds } from './fixture/idle-feeds.ts';
import { pollOnce } from './fixture/poller.ts';
import { SimulatedTable, TABLE_NAME } from './fixture/table.ts';

const EMPTY_PAGE = { entities: [], unusable: [], hasMore: false };

const TICK =
  'of a tick that polls 4,000 feeds (the lists of 2,000 projects, and the projects), none of which has ' +
  'anything new, through the store that ships';

export const idle: Bench = {
  name: 'idle',
  rows: [
    { key: 'idleCalls', definition: `Calls of table and topic ${TICK}.`, goal: 20 },
    {
      key: 'idleReadUnits',
      definition:
        `DynamoDB read units ${TICK}, computed from the items' sizes by AWS's rules: one for each started ` +
        '4 KB of an answer, half of it when the read need not be consistent.',
      goal: 80,
    },
    {
      key: 'idleWriteUnits',
      definition: `DynamoDB write units ${TICK}: one for each started KB of an item that is written.`,
      goal: 20,
    },
  ],
  async measure(scale) {
    const projects = scale === 'full' ? 2_000 : 10;
    const table = new SimulatedTable();
    const store = new DynamoDbStore({ client: table.client, tableName: TABLE_NAME });
    await store.addFeeds(idleFeeds(projects, Date.now() - 3_600_000));
    const topic = new EncodingTopic();
    const api = {
      fetchPage: () => Promise.resolve({ ...EMPTY_PAGE, asOf: new Date().toISOString() }),
    };
    // The first tick may learn what the others then know.
    await pollOnce({ api, store, topic });
    table.resetCounts();
    const { polled } = await pollOnce({ api, store, topic });
    if (polled !== projects * 2 + 1) throw new Error(`polled ${polled} feeds`);
    return {
      idleCalls: table.totalCalls + topic.calls,
      idleReadUnits: table.readUnits,
      idleWriteUnits: table.writeUnits,
    };
  },
};
