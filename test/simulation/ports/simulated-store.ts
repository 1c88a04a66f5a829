import type { PlacedCommand } from '../../../functions/core/model/command.ts';
import type { EntityKey, EntityState } from '../../../functions/core/model/entity-state.ts';
import type { Feed } from '../../../functions/core/model/feed.ts';
import type { ProjectOrder } from '../../../functions/core/model/project-state.ts';
import type { LeaseGuard } from '../../../functions/core/ports/lease-guard.ts';
import type { StateStore } from '../../../functions/core/ports/state-store.ts';
import { inTwo } from './in-two.ts';
import { injected } from './injected-failure.ts';
import type { PortsOptions } from './ports-options.ts';

/** Duration of a lease. */
export const LEASE_MS = 30_000;

/** Milliseconds that a call of the table usually takes. */
const USUAL_MS = 6;

/** Tries of a throttled call, within some 20 seconds. */
const MAX_TRIES = 10;

interface CallOptions {
  readonly half?: () => Promise<unknown>;
  readonly guard?: LeaseGuard;
  readonly reads?: boolean;
}

/** The table: records what is saved, and by whom. */
export function simulatedStore(options: PortsOptions): StateStore {
  const { process, record, chronicle, limits, backend, luck } = options;
  const { store } = backend;
  const owner = `run-${record.n}`;
  const call = async <T>(
    whole: () => Promise<T>,
    { half, guard, reads = false }: CallOptions = {},
  ): Promise<T> => {
    await untilNotThrottled(options, guard);
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
    guard: LeaseGuard | undefined,
    whole: () => Promise<T>,
    half?: () => Promise<T>,
  ): Promise<T> => {
    record.tableCalls.push(name);
    const fenced = (write: () => Promise<T>) => () => {
      chronicle.leases.changedBy(owner, process.clock.now(), name);
      return write();
    };
    return call(fenced(whole), {
      ...(half && { half: fenced(half) }),
      ...(guard && { guard }),
    });
  };
  /** Such a call with a batch, of which a half may have its effect. */
  const changeAll = <T, R>(
    name: string,
    guard: LeaseGuard | undefined,
    items: readonly T[],
    write: (items: readonly T[]) => Promise<R>,
  ): Promise<R> => {
    const half = () => write(luck.shuffle(items).slice(0, items.length / 2));
    return change(name, guard, () => write(items), items.length > 1 ? half : undefined);
  };
  const save = async (feedId: string, states: readonly EntityState[]): Promise<void> => {
    await store.saveStates(feedId, states);
    chronicle.saved(feedId, states, process.trueTime);
  };
  const remove = async (feedId: string, keys: readonly EntityKey[]): Promise<void> => {
    await store.deleteStates(feedId, keys);
    chronicle.deleted(feedId, keys);
  };
  const add = async (feeds: readonly Feed[]): Promise<readonly string[]> => {
    const existing = await store.addFeeds(feeds);
    for (const feed of feeds) {
      if (chronicle.feed(feed.id)) continue;
      chronicle.stored(feed, record.n, process.trueTime);
    }
    return existing;
  };
  const order = async (orders: readonly ProjectOrder[]): Promise<void> => {
    await store.saveOrders(orders);
    for (const each of orders) chronicle.ordered(each);
  };
  const carriedOut = async (commands: readonly PlacedCommand[]): Promise<void> => {
    await store.deleteCommands(commands);
    for (const each of commands) chronicle.carriedOut(each);
  };
  /** A feed as it was some time ago. */
  const staleFeed = (feed: Feed): Feed | undefined => {
    if (limits.staleMs === 0) return feed;
    return chronicle.feedAt(feed.id, process.trueTime - luck.below(limits.staleMs + 1));
  };
  return {
    loadLayout: (shardCount) => read(() => store.loadLayout(shardCount)),
    saveLayout: (layout, generation) =>
      call(async () => {
        const isSaved = await store.saveLayout(layout, generation);
        if (isSaved && layout.generation !== generation) chronicle.generations += 1;
        return isSaved;
      }),
    closeLease: (lease, now) =>
      call(async () => {
        chronicle.leases.closed(lease);
        return store.closeLease(lease, now);
      }),
    checkFormat: () => store.checkFormat(),
    loadLease: (shard) => store.loadLease(shard),
    acquireLease: (lease, now) =>
      call(async () => {
        const acquired = await store.acquireLease(lease, now);
        if (acquired) chronicle.leases.acquired(lease, record, now);
        else chronicle.leases.refused(lease, now, process.clock.now() - now + LEASE_MS);
        return acquired;
      }),
    openTable: (guard) => store.openTable(guard),
    renewLease: (lease) =>
      call(async () => {
        await store.renewLease(lease);
        chronicle.leases.renewed(lease);
      }),
    releaseLease: (lease) =>
      call(async () => {
        await store.releaseLease(lease);
        chronicle.leases.released(lease);
      }),
    loadShard: (partitions) =>
      read(async () => {
        const view = await store.loadShard(partitions);
        return { ...view, feeds: view.feeds.flatMap((feed) => staleFeed(feed) ?? []) };
      }),
    savePollHistory: (partitions, packed, guard) =>
      change('savePollHistory', guard, () => store.savePollHistory(partitions, packed)),
    loadFeeds: (partitions) => read(() => store.loadFeeds(partitions)),
    loadFeedsById: (feeds) => read(() => store.loadFeedsById(feeds)),
    loadAllPaused: () => read(() => store.loadAllPaused()),
    saveAllPaused: (isPaused) => store.saveAllPaused(isPaused),
    loadOrders: (partitions) => read(() => store.loadOrders(partitions)),
    saveOrders: (orders, guard) => changeAll('saveOrders', guard, orders, order),
    async deleteOrders(orders, guard) {
      guard?.assertHeld();
      await changeAll('deleteOrders', guard, orders, (some) => store.deleteOrders(some));
    },
    loadCommands: (partitions) => read(() => store.loadCommands(partitions)),
    saveCommands: (commands, guard) =>
      change('saveCommands', guard, () => store.saveCommands(commands)),
    saveProgress: (command, guard) =>
      change('saveProgress', guard, () => store.saveProgress(command)),
    saveReport: (report, guard) => change('saveReport', guard, () => store.saveReport(report)),
    deleteCommands: (commands, guard) => changeAll('deleteCommands', guard, commands, carriedOut),
    addFeeds: (feeds, guard) => changeAll('addFeeds', guard, feeds, add),
    async commitFeed(feed, guard) {
      const inBaseline = chronicle.baselines.of(feed.id);
      try {
        return await change('commitFeed', guard, async () => {
          const stored = await store.commitFeed(feed);
          chronicle.stored(stored, record.n, process.trueTime);
          return stored;
        });
      } catch (error) {
        // It may have had its effect, of which the run knows nothing: it reads on as before.
        if (inBaseline !== 'no') chronicle.baselines.commitFailed(feed.id);
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
    deleteStates: (feedId, keys, guard) =>
      changeAll('deleteStates', guard, keys, (some) => remove(feedId, some)),
    async *liveVersions(feedId, prefix) {
      record.tableCalls.push('liveVersions');
      yield* await read(() => Array.fromAsync(store.liveVersions(feedId, prefix)));
    },
    async saveStates(feedId, all, guard) {
      for (const states of inTwo(all)) {
        guard?.assertHeld();
        await changeAll('saveStates', guard, states, (some) => save(feedId, some));
      }
    },
  };
}

/** Repeats a call that the table throttles, as its adapter does: only while the lease is held. */
async function untilNotThrottled(
  { process, isThrottled }: PortsOptions,
  guard: LeaseGuard | undefined,
): Promise<void> {
  for (let tries = 1; isThrottled(); tries += 1) {
    if (tries === MAX_TRIES) throw injected();
    await process.clock.sleep(Math.min(50 * 2 ** tries, 5_000), guard?.signal);
    guard?.assertHeld();
  }
}
