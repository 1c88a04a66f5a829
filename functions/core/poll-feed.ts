import { makeEvent, type Change, type ChangeEvent } from './event.ts';
import { afterPage, type Feed } from './feed.ts';
import type { FeedBook } from './feed-book.ts';
import { workOutPage, type LatestState, type PageWork } from './page.ts';
import type { Clock, EventTopic, Quarantine, ServiceApi, StateStore, Telemetry } from './ports.ts';
import { followProjects } from './projects.ts';
import type { Catalogue, Resource } from './resources.ts';
import type { Tally } from './tally.ts';
import { walk, type WalkedPage, type WalkOptions } from './walk.ts';

/** The outside, as a run uses it. */
export interface Ports {
  readonly api: ServiceApi;
  readonly store: StateStore;
  readonly topic: EventTopic;
  readonly quarantine: Quarantine;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
}

/** What polling a feed needs to know of its run. */
export interface PollContext extends Ports {
  readonly catalogue: Catalogue;
  readonly walk: WalkOptions;
  /** `{base_url}/api/v3`, the source of the events. */
  readonly source: string;
  readonly book: FeedBook;
  readonly tally: Tally;
  /** Aborted when the run has to stop. Pages that are being worked come to their end. */
  readonly signal: AbortSignal;
  /**
   * To be called before each step that changes something: a page that is being worked must not be
   * published or saved over what the lease's next owner did.
   *
   * @throws LeaseLost when the lease is gone.
   */
  readonly assertHeld: () => void;
  /** Polls further feeds in this run. */
  readonly pollToo: (feedIds: readonly string[]) => void;
}

/**
 * Polls one feed to the end of its list, or until the run has to stop. Per page: read known → diff
 * → publish → save known → follow projects → advance cursor. The next page is fetched meanwhile.
 *
 * @throws whatever kept a page from being committed; the pages before it are.
 */
export async function pollFeed(
  id: string,
  resource: Resource,
  context: PollContext,
): Promise<void> {
  const leaving = new AbortController();
  const signal = AbortSignal.any([context.signal, leaving.signal]);
  const pages = walk(context.api, resource, context.book.get(id), context.walk, signal);
  try {
    for await (const walked of readAhead(pages)) {
      await commitPage(id, walked, resource, context);
      if (context.signal.aborted && !walked.isLast) {
        context.tally.stoppedEarly = true;
        return;
      }
    }
  } finally {
    leaving.abort(new Error(`${id} is no longer polled`));
  }
}

/** Asks for the next item while the current one is worked with. */
async function* readAhead<T>(source: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  let next = source.next();
  for (;;) {
    const result = await next;
    if (result.done === true) return;
    next = source.next();
    // Whether it failed is asked when its turn comes, which may be never.
    next.catch(() => undefined);
    yield result.value;
  }
}

async function commitPage(
  id: string,
  walked: WalkedPage,
  resource: Resource,
  context: PollContext,
): Promise<void> {
  const { store, book, tally, telemetry, clock } = context;
  const feed = book.get(id);
  const work = await workOutPage(walked.page, feed, resource, store);
  context.assertHeld();
  await publish(work, feed, walked, context);
  for (const known of [work.known.nested, work.known.own]) {
    context.assertHeld();
    if (known.length > 0) await store.saveKnown(id, known);
  }
  context.assertHeld();
  if (resource === context.catalogue.projects) await follow(work.latest, feed, context);
  context.assertHeld();
  await book.commit(id, (current) => afterPage(current, walked, clock.now()));
  tally.pages += 1;
  tally.entities += walked.page.entities.length;
  telemetry.count('PagesRead', 1);
}

async function publish(
  work: PageWork,
  feed: Feed,
  walked: WalkedPage,
  context: PollContext,
): Promise<void> {
  const { topic, quarantine, tally, telemetry } = context;
  const from = { feed: feed.id, ...(walked.sent !== undefined && { cursor: walked.sent }) };
  const events = work.changes.map((change) => eventOf(change, feed, context));
  const refused = events.length > 0 ? await topic.publish(events) : [];
  const setAside = [
    ...work.unusable.map(({ value, reason }) => ({ ...from, reason, value })),
    ...refused.map(({ event, reason }) => ({ ...from, reason, value: event })),
  ];
  if (setAside.length > 0) {
    await quarantine.put(setAside);
    tally.quarantined += setAside.length;
    telemetry.count('Quarantined', setAside.length);
    for (const { reason } of setAside)
      telemetry.warn('Set aside in the quarantine', { ...from, reason });
  }
  const isRefused = new Set(refused.map(({ event }) => event));
  events.forEach((event, i) => {
    const action = work.changes[i]?.action;
    if (action !== undefined && !isRefused.has(event)) tally.events[action] += 1;
  });
  telemetry.count('EventsPublished', events.length - refused.length);
}

function eventOf(change: Change, feed: Feed, context: PollContext): ChangeEvent {
  const isProject = feed.projectId === undefined;
  const account = isProject ? change.object['account_id'] : feed.accountId;
  return makeEvent(change, {
    source: context.source,
    cause: 'poll',
    now: context.clock.now(),
    ...((typeof account === 'number' || typeof account === 'string') && {
      accountId: String(account),
    }),
    projectId: feed.projectId ?? change.id,
  });
}

async function follow(
  latest: readonly LatestState[],
  projectsFeed: Feed,
  context: PollContext,
): Promise<void> {
  const { due, parked } = await followProjects(
    latest,
    projectsFeed,
    context.catalogue,
    context.book,
  );
  context.pollToo(due);
  context.tally.parked += parked;
  context.telemetry.count('FeedsParked', parked);
}
