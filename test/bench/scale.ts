import { fromItem, toItem, type Item } from '../../functions/adapters/dynamodb/attributes.ts';
import { feedIn, feedRow } from '../../functions/adapters/dynamodb/feeds.ts';
import { joinParts, pollHistoryParts } from '../../functions/adapters/dynamodb/poll-history.ts';
import { newFeed, type Feed } from '../../functions/core/model/feed.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import { encode, decode } from '../../functions/core/schedule/poll-history-codec.ts';
import { PollHistory } from '../../functions/core/schedule/poll-history.ts';
import { rankFeeds } from '../../functions/core/schedule/rank-feeds.ts';
import { Random } from '../../infra/local/simulator/world/random.ts';

/** Work of one tick with many projects. Times in milliseconds of CPU. */
export interface ScaleFigures {
  readonly projects: number;
  readonly feeds: number;
  /** To make feeds of the table's items. */
  readonly loadMs: number;
  readonly decodeMs: number;
  readonly rankMs: number;
  readonly encodeMs: number;
  /** Held by feeds and poll history during the tick. */
  readonly heapMb: number;
  /** Bytes of a feed's item, without the 100 that storage adds. */
  readonly bytesPerFeed: number;
  /** To load the shard with eventually consistent reads. */
  readonly readUnits: number;
  /** To save the poll history. */
  readonly writeUnits: number;
  /** Stored bytes of the poll history. */
  readonly historyBytes: number;
}

const NOW = Date.parse('2026-03-02T08:00:00.000Z');
const PARTITIONS = 16;

/** Measures one tick of scheduler and store over an idle account, without the table's own time. */
export function measureScale(projects = 100_000, requestsPerTick = 480): ScaleFigures {
  const feeds = makeFeeds(projects);
  const items = feeds.map((feed) => toItem(feedRow(feed)));
  const bytes = items.reduce((sum, item) => sum + sizeOf(item), 0);
  const parts = pollHistoryParts(encode(warmedUp(feeds, requestsPerTick), idsOf(feeds), NOW));
  const historyBytes = parts.reduce((sum, { data }) => sum + data.length, 0);
  gc();
  const heapBefore = process.memoryUsage().heapUsed;

  const [loadMs, loaded] = timed(() => items.map((item) => feedIn(fromItem(item))));
  const ids = idsOf(loaded);
  const at = NOW + 60_000;
  const [decodeMs, history] = timed(() => decode(joinParts([...parts]), ids, at));
  const [rankMs, { feeds: ranked }] = timed(() =>
    rankFeeds(loaded, history, optionsOf(at, requestsPerTick)),
  );
  for (const feed of ranked) history.recordPoll(feed, feed, at);
  const [encodeMs] = timed(() => pollHistoryParts(encode(history, ids, at)));
  gc();
  const heapMb = (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20;
  // Both are held until here, or they would not be counted.
  const isHeld = loaded.every(({ id }) => history.polledAt(id) !== undefined);
  if (!isHeld) throw new Error('the history lacks a feed');
  return {
    projects,
    feeds: loaded.length,
    loadMs,
    decodeMs,
    rankMs,
    encodeMs,
    heapMb,
    bytesPerFeed: bytes / feeds.length,
    // Each query is rounded up to 4 KB; half a unit for 4 KB.
    readUnits: Math.ceil((bytes + historyBytes) / 4096 + PARTITIONS / 2) / 2,
    writeUnits: parts.reduce((sum, { data }) => sum + Math.ceil((data.length + 50) / 1024), 0),
    historyBytes,
  };
}

/** A history in which feeds were polled in turns, as the budget allowed. */
function warmedUp(feeds: readonly Feed[], requestsPerTick: number): PollHistory {
  const history = new PollHistory();
  const random = new Random(1, 'scale');
  for (const feed of feeds) {
    const ticksAgo = random.below(Math.ceil(feeds.length / requestsPerTick));
    history.recordPoll(feed, feed, NOW - ticksAgo * 60_000);
  }
  return history;
}

function optionsOf(at: number, requestsPerTick: number) {
  return {
    now: at,
    budget: requestsPerTick,
    budgetPerTurn: requestsPerTick,
    turnMs: 60_000,
    maxWaitMs: 1_800_000,
  };
}

/** The feeds of an idle account; one in ten has ever been seen to change. */
function makeFeeds(projects: number): Feed[] {
  const { projects: list, perProject } = makeCatalog();
  const random = new Random(3, 'scale');
  const idle = { cursor: '2026-03-01T17:23:45.678Z', revision: 12 };
  const feeds: Feed[] = [{ ...newFeed(list, 'live'), ...idle }];
  for (let n = 0; n < projects; n += 1) {
    const project = { id: random.uuid(), accountId: '4711' };
    for (const resource of perProject) {
      const pace = random.chance(0.1) && {
        lastChange: NOW - random.below(1_000_000) * 1000,
        recentChanges: 1 + random.below(900) / 100,
      };
      feeds.push({ ...newFeed(resource, 'live', project), ...idle, ...pace });
    }
  }
  return feeds;
}

function idsOf(feeds: readonly Feed[]): string[] {
  return feeds.map(({ id }) => id);
}

/** Bytes of an item as DynamoDB counts them, numbers at two digits a byte. */
function sizeOf(item: Item): number {
  let bytes = 0;
  for (const [name, { S, N, B }] of Object.entries(item)) {
    bytes += name.length;
    if (S !== undefined) bytes += Buffer.byteLength(S);
    else if (N !== undefined) bytes += 1 + Math.ceil(N.replace(/0+$/, '').length / 2);
    else bytes += B?.length ?? 1;
  }
  return bytes;
}

function timed<T>(work: () => T): [number, T] {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  return [(user + system) / 1000, result];
}

/** Only with `npx node --expose-gc`; without it the history reads too high. */
function gc(): void {
  globalThis.gc?.();
}
