import { FatalError, FeedError, FeedRefused, ProtocolError, PublishFailed } from './errors.ts';
import { afterFailure, afterRefusal, newFeed, resourceOf, type Feed, type Phase } from './feed.ts';
import { FeedBook } from './feed-book.ts';
import { fence } from './fence.ts';
import { holdLease } from './lease.ts';
import { plan } from './plan.ts';
import { pollFeed, type PollContext, type Ports } from './poll-feed.ts';
import type { StateStore } from './ports.ts';
import { feedsOfNewResources } from './projects.ts';
import type { Catalogue } from './resources.ts';
import { newTally, type RunSummary } from './tally.ts';
import type { WalkOptions } from './walk.ts';
import { WorkQueue } from './work-queue.ts';

/** How a run is done; from the operator's config. */
export interface RunOptions {
  /** Names the run in its lease. */
  readonly runId: string;
  readonly shard: string;
  /** The partitions of the table whose feeds the shard owns. */
  readonly partitions: readonly number[];
  readonly catalogue: Catalogue;
  /** `{base_url}/api/v3`, the source of the events. */
  readonly source: string;
  readonly walk: WalkOptions;
  /** `silent`: what is found by the first deployment raises no events; `emit`: it is `created`. */
  readonly firstRun: 'silent' | 'emit';
  /** Feeds that are polled side by side. */
  readonly concurrency: number;
  /** Pages of one feed in a row, if others wait for their turn. */
  readonly pagesPerTurn: number;
  /** How long the lease lasts without being renewed. */
  readonly leaseMs: number;
  /** A run stops when so much of its time is left, to finish the pages it has begun. */
  readonly reserveMs: number;
  /** Time left before the run is killed. */
  readonly remainingMs: () => number;
  /** Uniform in [0, 1), as `Math.random`. */
  readonly random: () => number;
}

/** What a run knows besides what polling a feed needs. */
interface RunContext extends PollContext {
  /** Feeds that were polled; one that its project touched may be polled twice. */
  readonly polled: Set<string>;
}

/** The reason with which a run is stopped because its time is nearly up. */
class TimeIsUp extends Error {
  override readonly name = 'TimeIsUp';
}

/**
 * One run: lease the shard → load its feeds → plan → poll several at a time → release.
 *
 * A feed that fails backs off alone; the others go on. What is not the service's fault (topic,
 * table) leaves its feed as it was, and the run fails when all others are done, so that the failure
 * is seen.
 *
 * @throws FatalError when nothing more can be done: no access token, lease lost.
 * @throws AggregateError when pages could not be committed.
 */
export async function run(ports: Ports, options: RunOptions): Promise<RunSummary> {
  const tally = newTally();
  const { telemetry, clock } = ports;
  const stopping = new AbortController();
  const lease = await holdLease(ports, options, stopping);
  if (lease === undefined) {
    telemetry.count('LeaseHeld', 1);
    telemetry.info('Another run holds the lease', { shard: options.shard });
    return { ...tally, leaseHeld: true };
  }
  const done = new AbortController();
  void clock.sleep(options.remainingMs() - options.reserveMs, done.signal).then(() => {
    stopping.abort(new TimeIsUp('The run has to stop before its time is up'));
  });
  try {
    const fenced = fence(ports, lease.permit);
    const book = await openBook(fenced.store, options);
    const failures: unknown[] = [];
    const context: RunContext = {
      ...ports,
      ...fenced,
      ...options,
      book,
      tally,
      polled: new Set(),
      paused: new Map(),
      filters: new Map(),
      signal: stopping.signal,
      pollToo: (ids) => {
        queue.add(ids);
      },
      othersWait: () => queue.isAnyWaiting,
    };
    const queue = new WorkQueue<string>(
      async (id) => {
        const failure = await pollOne(id, context);
        if (failure !== undefined) failures.push(failure);
        if (failure instanceof FatalError) stopping.abort(failure);
      },
      options.concurrency,
      stopping.signal,
    );
    queue.add(plan(book.all(), clock.now(), options.random).map((feed) => feed.id));
    const notBegun = await queue.finish();
    tally.feeds = book.all().length;
    tally.polled = context.polled.size;
    tally.stoppedEarly ||= notBegun > 0;
    throwIfFailed(failures);
    telemetry.count('RunsCompleted', 1);
    return tally;
  } finally {
    done.abort();
    await lease.release();
  }
}

/** Loads the feeds; on the first run there is only the projects feed. */
async function openBook(store: StateStore, options: RunOptions): Promise<FeedBook> {
  const { catalogue } = options;
  const phase: Phase = options.firstRun === 'emit' ? 'live' : 'baseline';
  const book = new FeedBook(store, await store.loadFeeds(options.partitions));
  const followed = catalogue.perProject.map(({ path }) => path);
  const projects = newFeed(catalogue.projects, phase);
  if (!book.has(projects.id)) {
    await book.add([{ ...projects, followed }]);
    return book;
  }
  const added = feedsOfNewResources(book.get(projects.id), catalogue, book.all(), phase);
  await book.add(added.filter((feed) => !book.has(feed.id)));
  await book.commit(projects.id, (feed) =>
    followed.join() === feed.followed?.join() ? feed : { ...feed, followed },
  );
  return book;
}

/**
 * Polls a feed and deals with its failure.
 *
 * @returns what the run fails with; undefined when all went well or only the feed fails.
 */
async function pollOne(id: string, context: RunContext): Promise<unknown> {
  const { book, catalogue, tally, telemetry } = context;
  const resource = resourceOf(catalogue, book.get(id));
  if (resource === undefined) return undefined;
  if (!context.paused.has(id)) telemetry.count('FeedsPolled', 1);
  context.polled.add(id);
  try {
    await pollFeed(id, resource, context);
    return undefined;
  } catch (error) {
    if (error instanceof FatalError) return error;
    if (context.signal.aborted && error === context.signal.reason) {
      tally.stoppedEarly = true;
      return undefined;
    }
    if (error instanceof FeedError) return backOff(id, error, context);
    if (error instanceof PublishFailed) telemetry.count('PublishFailures', 1);
    telemetry.error(
      'A page was not committed and will be read again',
      error,
      whereIs(book.get(id)),
    );
    return error;
  }
}

async function backOff(id: string, error: FeedError, context: PollContext): Promise<unknown> {
  const { book, tally, telemetry, clock } = context;
  const after = error instanceof FeedRefused ? afterRefusal : afterFailure;
  try {
    const wasParked = book.get(id).parked !== undefined;
    const feed = await book.commit(id, (current) => after(current, clock.now()));
    const where = { ...whereIs(feed), nextTry: new Date(feed.notBefore).toISOString() };
    if (error instanceof FeedRefused && feed.parked !== undefined) {
      if (wasParked) return undefined;
      tally.parked += 1;
      telemetry.count('FeedsParked', 1);
      telemetry.warn(`The service refuses the list; it is parked: ${error.message}`, where);
      return undefined;
    }
    tally.failing += 1;
    telemetry.count('FeedsFailing', 1);
    if (error instanceof ProtocolError) telemetry.count('ProtocolErrors', 1);
    telemetry.error('A feed failed; its cursor stays, and it is tried again later', error, where);
    return undefined;
  } catch (failure) {
    telemetry.error('A failing feed could not be put off', failure, { feed: id });
    return failure;
  }
}

function whereIs({ id, cursor }: Feed): { feed: string; cursor?: string } {
  return { feed: id, ...(cursor !== undefined && { cursor }) };
}

function throwIfFailed(failures: readonly unknown[]): void {
  const fatal = failures.find((failure) => failure instanceof FatalError);
  if (fatal !== undefined) throw fatal;
  if (failures.length > 0) {
    const [first] = failures;
    const message = first instanceof Error ? first.message : String(first);
    throw new AggregateError(
      failures,
      `${failures.length} feeds could not be committed; the first: ${message}`,
    );
  }
}
