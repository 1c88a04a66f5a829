import { systemClock } from '../../functions/adapters/clock/system-clock.ts';
import { makeDynamoDbStore } from '../../functions/adapters/dynamodb/state-store.ts';
import { partitionsOf } from '../../functions/core/model/feed.ts';
import type { PageRequest } from '../../functions/core/ports/service-api.ts';
import type { Bench } from './bench.ts';
import { EncodingTopic } from './fixture/encoding.ts';
import { idleFeeds } from './fixture/idle-feeds.ts';
import { pollOnce } from './fixture/poller.ts';
import { SimulatedTable, TABLE_NAME } from './fixture/table.ts';

const SHARDS = 8;
/** Ticks that are simulated: half an hour, and the turns that a list may be late. */
const TICKS = 32;
const MINUTE_MS = 60_000;

const OF_RUNS =
  `of any run of ${SHARDS} shards over the lists of 100,000 idle projects, which all have a request budget ` +
  'that keeps half an hour, through the store that ships; in 32 ticks after the first one';

export const shards: Bench = {
  name: 'shards',
  rows: [
    {
      key: 'shardMaxWaitMinutes',
      definition: `The longest wait of a list, in minutes, ${OF_RUNS}.`,
      goal: 30,
      unit: 'min',
    },
    { key: 'shardCalls', definition: `The most calls of the table ${OF_RUNS}.`, goal: 20 },
    { key: 'shardReadUnits', definition: `The most read units ${OF_RUNS}.`, goal: 500 },
    {
      key: 'shardCpuMs',
      definition: `The median of the CPU time ${OF_RUNS}.`,
      goal: 3_000,
      unit: 'ms',
    },
  ],
  measure: (scale) => (scale === 'full' ? simulate(100_000, 6_898) : simulate(16, 8)),
};

async function simulate(projects: number, requestsPerMinute: number) {
  const table = new SimulatedTable();
  const stores = Array.from({ length: SHARDS }, () =>
    makeDynamoDbStore({ client: table.client, tableName: TABLE_NAME }),
  );
  const [first] = stores;
  await first?.openTable();
  await first?.addFeeds(idleFeeds(projects, Date.now() - 3_600_000));
  const polls = new Polls();
  const runs: { readonly calls: number; readonly readUnits: number; readonly cpuMs: number }[] = [];
  const perMinute = Math.ceil(requestsPerMinute / SHARDS);
  for (let minute = 0; minute <= TICKS; minute += 1) {
    const clock = { ...systemClock, now: () => Date.now() + minute * MINUTE_MS };
    for (const [shard, store] of stores.entries()) {
      table.resetCounts();
      let left = perMinute;
      const api = {
        fetchPage: ({ path }: PageRequest) => {
          left -= 1;
          polls.add(path, minute);
          return Promise.resolve({ ...EMPTY_PAGE, readAfter: new Date().toISOString() });
        },
        allowance: () => ({ requests: left, perMinute }),
      };
      const place = { shard, shardCount: SHARDS, partitions: partitionsOf(shard, SHARDS) };
      const before = process.cpuUsage();
      await pollOnce({ api, store, topic: new EncodingTopic(), clock }, place);
      const { user, system } = process.cpuUsage(before);
      const cpuMs = (user + system) / 1000;
      const { totalCalls: calls, readUnits } = table;
      // The first one changes the layout, and reads all lists consistently.
      if (minute > 0) runs.push({ calls, readUnits, cpuMs });
    }
  }
  const cpu = runs.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b);
  return {
    shardMaxWaitMinutes: polls.longestWait(projects * 2 + 1, TICKS),
    shardCalls: Math.max(...runs.map(({ calls }) => calls)),
    shardReadUnits: Math.max(...runs.map(({ readUnits }) => readUnits)),
    shardCpuMs: cpu[cpu.length >> 1] ?? NaN,
  };
}

const EMPTY_PAGE = { entities: [], invalid: [], hasMore: false };

/** When each list was polled. */
class Polls {
  readonly #last = new Map<string, number>();
  #longest = 0;

  /** @throws Error when the list was polled in this minute before. */
  add(path: string, minute: number): void {
    const last = this.#last.get(path) ?? 0;
    if (this.#last.has(path) && last === minute) throw new Error(`${path} was polled twice`);
    this.#longest = Math.max(this.#longest, minute - last);
    this.#last.set(path, minute);
  }

  longestWait(listCount: number, end: number): number {
    if (this.#last.size !== listCount) throw new Error(`${this.#last.size} lists were polled`);
    return Math.max(this.#longest, ...new Set([...this.#last.values()].map((last) => end - last)));
  }
}
