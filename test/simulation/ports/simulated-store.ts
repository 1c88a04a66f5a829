import type { OperatedStore } from '../../../functions/control/ports.ts';
import type { EntityState } from '../../../functions/core/model/entity-state.ts';
import type { Feed } from '../../../functions/core/model/feed.ts';
import { inTwo } from './in-two.ts';
import { injected } from './injected-failure.ts';
import type { PortsOptions } from './ports-options.ts';

/** Milliseconds that a call of the table usually takes. */
const USUAL_MS = 6;

/** Tries of a throttled call, within some 20 seconds. */
const MAX_TRIES = 10;

interface CallOptions {
  readonly half?: () => Promise<unknown>;
  readonly reads?: boolean;
}

/** The table: records what is saved, and by whom. */
export function simulatedStore(options: PortsOptions): OperatedStore {
  const { process, record, chronicle, limits, backend, luck } = options;
  const { store } = backend;
  const owner = `run-${record.n}`;
  const call = async <T>(
    whole: () => Promise<T>,
    { half, reads = false }: CallOptions = {},
  ): Promise<T> => {
    await untilNotThrottled(options);
    return process.call('store', {
      whole,
      ...(half && { half }),
      reads,
      failure: injected,
      usualMs: USUAL_MS,
    });
  };
  const read = <T>(whole: () => Promise<T>): Promise<T> => call(whole, { reads: true });
  /** A call for which the run must hold its lease. */
  const change = <T>(
    name: string,
    whole: () => Promise<T>,
    half?: () => Promise<T>,
  ): Promise<T> => {
    record.tableCalls.push(name);
    const fenced = (write: () => Promise<T>) => () => {
      chronicle.leases.changedBy(owner, process.clock.now(), name);
      return write();
    };
    return call(fenced(whole), half && { half: fenced(half) });
  };
  /** Such a call with a batch, of which a half may have its effect. */
  const changeAll = <T, R>(
    name: string,
    items: readonly T[],
    write: (items: readonly T[]) => Promise<R>,
  ): Promise<R> => {
    const half = () => write(luck.shuffle(items).slice(0, items.length / 2));
    return change(name, () => write(items), items.length > 1 ? half : undefined);
  };
  const save = async (feedId: string, states: readonly EntityState[]): Promise<void> => {
    await store.saveStates(feedId, states);
    chronicle.saved(feedId, states, process.trueTime);
  };
  const add = async (feeds: readonly Feed[]): Promise<readonly string[]> => {
    const existing = await store.addFeeds(feeds);
    for (const feed of feeds) {
      if (chronicle.feed(feed.id)) continue;
      chronicle.stored(feed, record.n, process.trueTime);
    }
    return existing;
  };
  /** A feed as it was some time ago. */
  const staleFeed = (feed: Feed): Feed | undefined => {
    if (limits.staleMs === 0) return feed;
    return chronicle.feedAt(feed.id, process.trueTime - luck.below(limits.staleMs + 1));
  };
  return {
    checkFormat: () => store.checkFormat(),
    takeLease: (lease, now) =>
      call(async () => {
        const isTaken = await store.takeLease(lease, now);
        if (isTaken) chronicle.leases.taken(lease, now);
        else chronicle.leases.refused(lease, now);
        return isTaken;
      }),
    freeLease: (lease) =>
      call(async () => {
        await store.freeLease(lease);
        chronicle.leases.freed(lease);
      }),
    loadTaken: (now) => store.loadTaken(now),
    openTable: () => store.openTable(),
    loadShard: (partitions) =>
      read(async () => {
        const feeds = await store.loadShard(partitions);
        return feeds.flatMap((feed) => staleFeed(feed) ?? []);
      }),
    loadPollHistory: (shard) => read(() => store.loadPollHistory(shard)),
    savePollHistory: (shard, encoded) => call(() => store.savePollHistory(shard, encoded)),
    loadFeeds: (partitions) => read(() => store.loadFeeds(partitions)),
    loadFeedsById: (feeds) => read(() => store.loadFeedsById(feeds)),
    loadAllPaused: () => read(() => store.loadAllPaused()),
    saveAllPaused: (isPaused) => store.saveAllPaused(isPaused),
    addFeeds: (feeds) => changeAll('addFeeds', feeds, add),
    async commitFeed(feed) {
      const inBaseline = chronicle.baselines.of(feed.id);
      try {
        return await change('commitFeed', async () => {
          const stored = await store.commitFeed(feed);
          chronicle.stored(stored, record.n, process.trueTime);
          return stored;
        });
      } catch (error) {
        // It may have had its effect, of which the run knows nothing: it reads on as before.
        if (inBaseline !== 'no') chronicle.baselines.commitFailed(feed.id, record.n);
        throw error;
      }
    },
    loadStates: (feedId, keys) => {
      if (keys.length > 0) record.tableCalls.push('loadStates');
      return read(() => store.loadStates(feedId, keys));
    },
    loadStatesAfter: (feedId, after) => read(() => store.loadStatesAfter(feedId, after)),
    loadLiveChildren: (feedId, prefix) => {
      record.tableCalls.push('loadLiveChildren');
      return read(() => store.loadLiveChildren(feedId, prefix));
    },
    async *liveVersions(feedId, prefix) {
      record.tableCalls.push('liveVersions');
      yield* await read(() => Array.fromAsync(store.liveVersions(feedId, prefix)));
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
