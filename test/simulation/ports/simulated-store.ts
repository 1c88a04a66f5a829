import type { OperatedStore } from '../../../functions/control/ports.ts';
import type { EntityState } from '../../../functions/core/model/entity-state.ts';
import type { Feed } from '../../../functions/core/model/feed.ts';
import { shuffle } from '../world/shuffle.ts';
import { injected } from './injected-failure.ts';
import { inTwo, type PortsOptions } from './ports-options.ts';

/** Milliseconds that a call of the table usually takes. */
const USUAL_MS = 6;

/** Tries of a throttled call, within some 20 seconds. */
const MAX_TRIES = 10;

/** The table: records saved states, and their runs. */
export function simulatedStore(options: PortsOptions): OperatedStore {
  const { process, record, trace, staleMs, backend, luck } = options;
  const { store } = backend;
  const owner = `run-${record.n}`;
  const call = async <T>(whole: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> => {
    await untilNotThrottled(options);
    const effect = { whole, ...(half && { half }), failure: injected, usualMs: USUAL_MS };
    return process.call('store', effect);
  };
  /** A call for which the run must hold its lease. */
  const change = <T>(
    name: string,
    whole: () => Promise<T>,
    half?: () => Promise<T>,
  ): Promise<T> => {
    record.tableCalls.push(name);
    const fenced = (write: () => Promise<T>) => () => {
      trace.leases.changedBy(owner, process.clock.now(), name);
      return write();
    };
    return call(fenced(whole), half && fenced(half));
  };
  /** Such a call with a batch, of which a half may have its effect. */
  const changeAll = <T, R>(
    name: string,
    items: readonly T[],
    write: (items: readonly T[]) => Promise<R>,
  ): Promise<R> => {
    const half = () => write(shuffle(items, luck).slice(0, items.length / 2));
    return change(name, () => write(items), items.length > 1 ? half : undefined);
  };
  const save = async (feedId: string, states: readonly EntityState[]): Promise<void> => {
    await store.saveStates(feedId, states);
    trace.saved(feedId, states, process.clock.now());
  };
  const add = async (feeds: readonly Feed[]): Promise<readonly string[]> => {
    const existing = await store.addFeeds(feeds);
    for (const feed of feeds) {
      if (trace.feed(feed.id)) continue;
      trace.stored(feed, process.clock.now());
    }
    return existing;
  };
  /** A feed as it was some time ago. */
  const staleFeed = (feed: Feed): Feed | undefined => {
    if (staleMs === 0) return feed;
    return trace.feedAt(feed.id, process.clock.now() - luck.below(staleMs + 1));
  };
  return {
    checkFormat: () => store.checkFormat(),
    takeLease: (lease, now) =>
      call(async () => {
        const isTaken = await store.takeLease(lease, now);
        if (isTaken) trace.leases.taken(lease, now);
        else trace.leases.refused(lease, now);
        return isTaken;
      }),
    freeLease: (lease) =>
      call(async () => {
        await store.freeLease(lease);
        trace.leases.freed(lease);
      }),
    loadLeases: () => store.loadLeases(),
    openTable: () => store.openTable(),
    loadShard: (partitions) =>
      call(async () => {
        const feeds = await store.loadShard(partitions);
        return feeds.flatMap((feed) => staleFeed(feed) ?? []);
      }),
    loadPollHistory: (shard) => call(() => store.loadPollHistory(shard)),
    savePollHistory: (shard, encoded) => call(() => store.savePollHistory(shard, encoded)),
    loadFeeds: (partitions) => call(() => store.loadFeeds(partitions)),
    loadFeedsById: (feeds) => call(() => store.loadFeedsById(feeds)),
    loadAllPaused: () => call(() => store.loadAllPaused()),
    saveAllPaused: (isPaused) => store.saveAllPaused(isPaused),
    addFeeds: (feeds) => changeAll('addFeeds', feeds, add),
    commitFeed: (feed) =>
      change('commitFeed', async () => {
        const stored = await store.commitFeed(feed);
        trace.stored(stored, process.clock.now());
        return stored;
      }),
    loadStates: (feedId, keys) => {
      if (keys.length > 0) record.tableCalls.push('loadStates');
      return call(() => store.loadStates(feedId, keys));
    },
    loadStatesAfter: (feedId, after) => call(() => store.loadStatesAfter(feedId, after)),
    loadLiveChildren: (feedId, prefix) => {
      record.tableCalls.push('loadLiveChildren');
      return call(() => store.loadLiveChildren(feedId, prefix));
    },
    async *liveVersions(feedId, prefix) {
      record.tableCalls.push('liveVersions');
      yield* await call(() => Array.fromAsync(store.liveVersions(feedId, prefix)));
    },
    async saveStates(feedId, all) {
      for (const states of inTwo(all)) {
        await changeAll('saveStates', states, (some) => save(feedId, some));
      }
    },
  };
}

/** Repeats a call that the table throttles, as its adapter does. */
async function untilNotThrottled({ process, isThrottled }: PortsOptions): Promise<void> {
  for (let tries = 1; isThrottled(); tries += 1) {
    if (tries === MAX_TRIES) throw injected();
    await process.clock.sleep(Math.min(50 * 2 ** tries, 5_000));
  }
}
