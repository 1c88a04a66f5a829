import type { Random } from '../../infra/local/service/world/random.ts';
import {
  FeedConflictError,
  FeedRefusedError,
  LeaseLostError,
  PageTooSlowError,
  ProtocolError,
  PublishFailedError,
  RefreshTokenRejectedError,
  ServiceError,
} from '../../functions/core/model/errors.ts';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { EntityState } from '../../functions/core/model/entity-state.ts';
import type { Feed } from '../../functions/core/model/feed.ts';
import type { LeaseGuard } from '../../functions/core/ports/lease-guard.ts';
import type { Page, PageRequest, ServiceApi } from '../../functions/core/ports/service-api.ts';
import type { Chronicle, RunRecord } from './chronicle.ts';
import type { Limits } from './history.ts';
import { ENTITY_BYTES } from './memory.ts';
import { copyExactly } from './numbers.ts';
import type { Process } from './process.ts';
import type { SimulatedService } from './service.ts';
import { untilAborted } from '../support/list-service.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';
import { type EventTopic, type RefusedEvent } from '../../functions/core/ports/event-topic.ts';
import type { Quarantine } from '../../functions/core/ports/quarantine.ts';
import type { StateStore } from '../../functions/core/ports/state-store.ts';

class InjectedFailure extends Error {
  override readonly name = 'InjectedFailure';
}

/** Duration of a lease. */
export const LEASE_MS = 30_000;
/** Milliseconds that calls usually take. */
const USUAL_MS = { api: 120, table: 6, topic: 20, queue: 15 };

/** Tries of a throttled call, within some 20 seconds. */
const MAX_TABLE_TRIES = 10;

/** Milliseconds after which a page counts as too slow. */
const TOO_SLOW_MS = 1_000;

/** Quarantine, table and topic, in memory or embedded. */
export interface Backend {
  readonly store: StateStore;
  readonly topic: EventTopic;
  readonly quarantine: Quarantine;
  /** Reads a page over HTTP; without it the service is asked directly. */
  readonly readPage?: (
    service: SimulatedService,
    request: PageRequest,
    now: number,
  ) => Promise<Page>;
}

/** The environment of one run's ports. */
export interface PortsOptions {
  readonly process: Process;
  readonly record: RunRecord;
  readonly chronicle: Chronicle;
  readonly service: SimulatedService;
  readonly limits: Limits;
  readonly backend: Backend;
  readonly luck: Random;
  /** Whether the table throttles a call. */
  readonly isThrottled: () => boolean;
}

/** The ports of one run: each call may fail, be slow, or be the last. */
export function simulatedPorts(options: PortsOptions): Ports {
  return {
    api: simulatedApi(options),
    store: simulatedStore(options),
    topic: simulatedTopic(options),
    quarantine: simulatedQuarantine(options),
    telemetry: options.record.telemetry,
    clock: options.process.clock,
  };
}

const injected = (): Error => new InjectedFailure('made to fail');

function simulatedApi(options: PortsOptions): ServiceApi {
  const { process, record, chronicle, service, limits, backend, luck } = options;
  const { baselines } = chronicle;
  const read = (request: PageRequest, now: number): Page | Promise<Page> => {
    if (backend.readPage === undefined) return service.page(request, now);
    service.checkOutage(request.path);
    return backend.readPage(service, request, now);
  };
  const failures = [
    () => new ServiceError('GET: 503', { status: 503, hint: 'Wait.' }),
    () => new ProtocolError('GET: no array', { hint: 'Wait.' }),
    () => new FeedRefusedError('GET: 403', { status: 403, hint: 'Wait.' }),
    () => new RefreshTokenRejectedError('POST: 401', { hint: 'Rotate it.' }),
  ];
  return {
    allowance() {
      const perMinute = service.isCalm ? 1_000 : limits.requestsPerRun;
      return { requests: Math.max(0, perMinute - record.requests), perMinute };
    },
    async fetchPage(request, signal) {
      signal?.throwIfAborted();
      record.requests += 1;
      const feedId = request.path.slice(1);
      record.requested.add(feedId);
      const sentAt = process.trueTime;
      baselines.asked(record.n, feedId, service.clockAt(sentAt));
      const aborted = untilAborted(signal);
      const answer = process.call('api', {
        whole: async (answeredAt) => ({
          page: await read(request, process.trueTime),
          answeredAt,
        }),
        failure: () => (failures[luck.below(failures.length)] ?? injected)(),
        usualMs: USUAL_MS.api,
      });
      const { page, answeredAt } = await Promise.race([answer, aborted]);
      if (service.isTooSlow(page)) {
        await process.clock.sleep(TOO_SLOW_MS, signal);
        signal?.throwIfAborted();
        throw new PageTooSlowError(`GET ${request.path}: no answer in time`, { hint: 'Wait.' });
      }
      // The HTTP client reads the body itself.
      if (backend.readPage === undefined) await receive(page, request, options, signal);
      baselines.answered(record.n, feedId, !page.hasMore);
      // The HTTP client reads the Date, too.
      const answerDate = backend.readPage === undefined ? service.dateAt(answeredAt) : undefined;
      if (answerDate === undefined) return page;
      // A Date has whole seconds, and is written when the answer is, not when the list is read.
      const date = Math.floor(answerDate / 1000) * 1000;
      const readAfter = new Date(date - (process.trueTime - sentAt)).toISOString();
      return { ...page, readAfter };
    },
  };
}

/** Reads the body of a page after its headers. Sometimes the body breaks off and is read again. */
async function receive(
  page: Page,
  { reservation }: PageRequest,
  { process, luck }: PortsOptions,
  signal = new AbortController().signal,
): Promise<void> {
  const entities = page.entities.length + page.invalid.length;
  const bytes = ENTITY_BYTES * entities;
  try {
    for (let isWhole = false; !isWhole;) {
      isWhole = !luck.chance(0.05);
      await reservation?.acquire({ entities, ...(luck.chance(0.7) && { bytes }) }, signal);
      await process.clock.sleep(luck.below(80), signal);
      signal.throwIfAborted();
      if (isWhole) reservation?.onBytesRead(bytes);
      reservation?.resize(isWhole ? bytes : 0);
    }
  } catch (error) {
    reservation?.resize(0);
    throw error;
  }
}

function simulatedStore(options: PortsOptions): StateStore {
  const { process, record, chronicle, limits, backend, luck } = options;
  const { store } = backend;
  const owner = `run-${record.n}`;
  const call = async <T>(
    whole: () => Promise<T>,
    { half, guard }: { readonly half?: () => Promise<unknown>; readonly guard?: LeaseGuard } = {},
  ): Promise<T> => {
    await untilNotThrottled(options, guard);
    return process.call('store', {
      whole,
      ...(half && { half }),
      failure: injected,
      usualMs: USUAL_MS.table,
    });
  };
  /** A call for which the run must hold its lease. */
  const change = <T>(
    name: string,
    guard: LeaseGuard | undefined,
    whole: () => Promise<T>,
    half = whole,
  ): Promise<T> => {
    record.tableCalls.push(name);
    const fenced = (write: () => Promise<T>) => () => {
      chronicle.changedBy(owner, process.clock.now(), name);
      return write();
    };
    return call(fenced(whole), {
      ...(half !== whole && { half: fenced(half) }),
      ...(guard && { guard }),
    });
  };
  const save = async (feedId: string, states: readonly EntityState[]): Promise<void> => {
    await store.saveStates(feedId, states);
    chronicle.saved(feedId, states);
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
  const half = <T>(items: readonly T[]): T[] => luck.shuffle(items).slice(0, items.length / 2);
  return {
    acquireLease: (lease, now) =>
      call(async () => {
        const acquired = await store.acquireLease(lease, now);
        if (acquired) chronicle.leased(lease.owner, lease.expiresAt);
        else chronicle.refused(lease.owner, now, process.clock.now() - now + LEASE_MS);
        return acquired;
      }),
    openTable: (guard) => store.openTable(guard),
    renewLease: (lease) =>
      call(async () => {
        await store.renewLease(lease);
        chronicle.leased(lease.owner, lease.expiresAt);
      }),
    releaseLease: (lease) =>
      call(async () => {
        await store.releaseLease(lease);
        chronicle.released(lease.owner);
      }),
    loadShard: (partitions) =>
      call(async () => {
        const view = await store.loadShard(partitions);
        return { ...view, feeds: view.feeds.flatMap((feed) => staleFeed(feed) ?? []) };
      }),
    savePollHistory: (partitions, packed, guard) =>
      change('savePollHistory', guard, () => store.savePollHistory(partitions, packed)),
    loadFeeds: (partitions) => call(() => store.loadFeeds(partitions)),
    addFeeds: (feeds, guard) =>
      change(
        'addFeeds',
        guard,
        () => add(feeds),
        () => add(half(feeds)),
      ),
    commitFeed: (feed, guard) =>
      change('commitFeed', guard, async () => {
        const stored = await store.commitFeed(feed);
        chronicle.stored(stored, record.n, process.trueTime);
        return stored;
      }),
    loadStates: (feedId, keys) => {
      if (keys.length > 0) record.tableCalls.push('loadStates');
      return call(() => store.loadStates(feedId, keys));
    },
    loadLiveChildren: (feedId, prefix) => {
      record.tableCalls.push('loadLiveChildren');
      return call(() => store.loadLiveChildren(feedId, prefix));
    },
    async saveStates(feedId, all, guard) {
      for (const states of inTwo(all)) {
        guard?.assertHeld();
        await change(
          'saveStates',
          guard,
          () => save(feedId, states),
          () => save(feedId, half(states)),
        );
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
    if (tries === MAX_TABLE_TRIES) throw injected();
    await process.clock.sleep(Math.min(50 * 2 ** tries, 5_000), guard?.signal);
    guard?.assertHeld();
  }
}

/** Splits a batch into two calls, as a large page takes many. */
function inTwo<T>(all: readonly T[]): (readonly T[])[] {
  const middle = Math.ceil(all.length / 2);
  return [all.slice(0, middle), all.slice(middle)].filter(({ length }) => length > 0);
}

/** Whether a port fails all calls now. */
function hasOutage(port: Limits['outage'], { limits, service }: PortsOptions): boolean {
  return limits.outage === port && !service.isCalm;
}

function simulatedTopic(options: PortsOptions): EventTopic {
  const { process, record, chronicle, backend, luck } = options;
  const publish = async (events: readonly ChangeEvent[]) => {
    chronicle.changedBy(`run-${record.n}`, process.clock.now(), 'publish');
    const copies = copyExactly(events);
    const refused = await backend.topic.publish(events);
    const isRefused = new Set(refused.map(({ event }) => event.id));
    for (const event of copies) {
      if (!isRefused.has(event.id)) chronicle.delivered(event, record.n, false);
    }
    return refused;
  };
  const failure = () => new PublishFailedError('throttled', { hint: 'Wait.' });
  const send = (events: readonly ChangeEvent[]) => {
    const half = () => {
      const ids = luck.shuffle([...new Set(events.map((event) => event.partitionkey))]);
      const some = new Set(ids.slice(0, ids.length / 2));
      const accepted = events.filter((event) => some.has(event.partitionkey));
      return accepted.length > 0 ? publish(accepted) : undefined;
    };
    return process.call('topic', {
      whole: async () => {
        if (hasOutage('topic', options)) {
          await publish(events.slice(0, Math.ceil(events.length / 2)));
          throw failure();
        }
        return publish(events);
      },
      half,
      failure,
      refusal: async () => {
        const [first, ...rest] = events;
        if (rest.length > 0) await publish(rest);
        return first === undefined ? [] : [{ event: first, reason: 'made to be refused' }];
      },
      usualMs: USUAL_MS.topic,
    });
  };
  return {
    async publish(all, guard) {
      const refused: RefusedEvent[] = [];
      for (const events of inTwo(all)) {
        guard?.assertHeld();
        refused.push(...(await send(events)));
      }
      return refused;
    },
  };
}

function simulatedQuarantine(options: PortsOptions): Quarantine {
  const { process, record, chronicle, backend } = options;
  return {
    put: (items) =>
      process.call('quarantine', {
        whole: async () => {
          if (hasOutage('quarantine', options)) throw injected();
          await backend.quarantine.put(items);
          for (const item of copyExactly(items)) {
            chronicle.quarantined.push(item);
            const event = item.value as ChangeEvent | null;
            if (event?.specversion === '1.0') chronicle.delivered(event, record.n, true);
          }
        },
        failure: injected,
        usualMs: USUAL_MS.queue,
      }),
  };
}

/** Whether a run may end with this error, given what is done to it. */
export function isExpected(error: unknown, mayConflict: boolean): boolean {
  if (error instanceof AggregateError) {
    return error.errors.every((each) => isExpected(each, mayConflict));
  }
  return [
    InjectedFailure,
    PublishFailedError,
    ...(mayConflict ? [FeedConflictError] : []),
    LeaseLostError,
    RefreshTokenRejectedError,
  ].some((kind) => error instanceof kind);
}
