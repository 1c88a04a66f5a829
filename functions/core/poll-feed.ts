import { keepTexts } from './event-json.ts';
import { makeEvent, type Change, type ChangeEvent } from './event.ts';
import { afterPage, type Feed } from './feed.ts';
import type { FeedBook } from './feed-book.ts';
import type { Known } from './known.ts';
import { workOutPage, type LatestState, type PageWork } from './page.ts';
import type {
  Clock,
  EventTopic,
  Page,
  Quarantine,
  ServiceApi,
  StateStore,
  Telemetry,
} from './ports.ts';
import { followProjects } from './projects.ts';
import { readAhead, type Turn } from './read-ahead.ts';
import type { Catalogue, Resource } from './resources.ts';
import type { Tally } from './tally.ts';
import { latestOf, type Timestamp } from './timestamp.ts';
import { Walk, type WalkContext, type WalkedPage } from './walk.ts';

/** The outside, as a run uses it. */
export interface Ports {
  readonly api: ServiceApi;
  readonly store: StateStore;
  readonly topic: EventTopic;
  readonly quarantine: Quarantine;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
}

/** What polling a feed needs to know of its run. The ports are fenced, see {@link fence}. */
export interface PollContext extends Ports, WalkContext, Turn {
  readonly catalogue: Catalogue;
  /** `{base_url}/api/v3`, the source of the events. */
  readonly source: string;
  readonly book: FeedBook;
  readonly tally: Tally;
  /** Walks that let others have a turn, by feed id. */
  readonly paused: Map<string, Walk>;
  /** Aborted when the run has to stop. Pages that are being worked come to their end. */
  readonly signal: AbortSignal;
  /** Polls further feeds in this run. */
  readonly pollToo: (feedIds: readonly string[]) => void;
}

/**
 * Polls one feed: to the end of its list, until its turn is over, or until the run has to stop. Per
 * page: read known → diff → publish → save known → follow projects → advance cursor. The next page is
 * fetched meanwhile.
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
  const walk = context.paused.get(id) ?? new Walk(resource, context.book.get(id), context);
  context.paused.delete(id);
  try {
    for await (const walked of readAhead(walk, signal, context)) {
      await commitPage(id, walked, resource, context).finally(() => {
        walked.room.release();
      });
      if (walked.isLast) return;
      if (context.signal.aborted) {
        context.tally.stoppedEarly = true;
        return;
      }
    }
    context.paused.set(id, walk);
    context.pollToo([id]);
  } finally {
    leaving.abort(new Error(`${id} is no longer polled`));
  }
}

async function commitPage(
  id: string,
  walked: WalkedPage,
  resource: Resource,
  context: PollContext,
): Promise<void> {
  const feed = context.book.get(id);
  const work = await workOut(walked, feed, resource, context);
  const forget = keepTexts(work.texts);
  await carryOut(work, feed, walked, resource, context).finally(forget);
}

/** Publishes and saves what a page comes to, and moves the cursor. */
async function carryOut(
  work: PageWork,
  feed: Feed,
  walked: WalkedPage,
  resource: Resource,
  context: PollContext,
): Promise<void> {
  const { book, tally, telemetry, clock } = context;
  const { id } = feed;
  await save(id, work.announced.parents, context);
  await save(id, work.announced.items, context);
  await publish(work, feed, walked, context);
  await save(id, work.known.nested, context);
  // A project that is known has its feeds: it may not be shown again for a long time.
  if (resource === context.catalogue.projects) await follow(work.latest, feed, context);
  await save(id, work.known.own, context);
  // Before the commit: the page is not read again, so nobody else would tell.
  if (walked.saturated !== undefined) reportSaturated(id, walked.saturated, telemetry);
  const done = {
    ...walked,
    boundary: work.boundary,
    isNews: work.isNews,
    overlapMs: context.walk.overlapMs,
    ...changesOn(walked.page, work.changes, clock.now()),
  };
  await book.commit(id, (current) => afterPage(current, done, clock.now()));
  tally.pages += 1;
  tally.entities += walked.page.entities.length;
  telemetry.count('PagesRead', 1);
}

/**
 * How many changes a page shows, and when the latest happened, by our clock: how long ago is told by
 * the service's own.
 */
function changesOn({ asOf }: Page, changes: readonly Change[], now: number) {
  const latest = latestOf(changes.map(({ time }) => time));
  const ago = asOf && latest ? Date.parse(asOf) - Date.parse(latest) : 0;
  return { changes: changes.length, changedAt: now - Math.max(0, ago) };
}

/** Works a page out, and before that finishes what a run that died has begun. */
async function workOut(
  walked: WalkedPage,
  feed: Feed,
  resource: Resource,
  context: PollContext,
): Promise<PageWork> {
  const settledAt = walked.isSettled ? walked.cursor : undefined;
  const workOutAgain = () => workOutPage(walked.page, feed, resource, context.store, settledAt);
  const work = await workOutAgain();
  if (work.unfinished.length === 0) return work;
  const changes = work.unfinished.map(({ change }) => change);
  await publish({ changes, unusable: [] }, feed, walked, context);
  const known = work.unfinished.map(({ known }) => known);
  await save(feed.id, known, context);
  return workOutAgain();
}

async function save(id: string, known: readonly Known[], context: PollContext): Promise<void> {
  if (known.length > 0) await context.store.saveKnown(id, known);
}

function reportSaturated(feed: string, timestamp: Timestamp, telemetry: Telemetry): void {
  telemetry.count('SaturatedTimestamp', 1);
  telemetry.warn(
    'More entities share a timestamp than the largest page shows; some may stay unseen until they change',
    { feed, timestamp },
  );
}

async function publish(
  work: Pick<PageWork, 'changes' | 'unusable'>,
  feed: Feed,
  walked: WalkedPage,
  context: PollContext,
): Promise<void> {
  const { topic, quarantine, tally, telemetry } = context;
  const from = { feed: feed.id, ...(walked.sent !== undefined && { cursor: walked.sent }) };
  const events = eventsOf(work.changes, feed, context);
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
  for (const [i, event] of events.entries()) {
    const action = work.changes[i]?.action;
    if (action !== undefined && !isRefused.has(event)) tally.events[action] += 1;
  }
  telemetry.count('EventsPublished', events.length - refused.length);
}

/** The events of a page. What they share is worked out once. */
function eventsOf(
  changes: readonly Change[],
  feed: Feed,
  { source, clock }: PollContext,
): ChangeEvent[] {
  const shared = { source, cause: 'poll', now: new Date(clock.now()).toISOString() } as const;
  const { projectId, accountId } = feed;
  if (projectId !== undefined) {
    const context = { ...shared, projectId, ...(accountId !== undefined && { accountId }) };
    return changes.map((change) => makeEvent(change, context));
  }
  return changes.map((change) => {
    // A project's own list is no project's: each change tells the account and the project.
    const account = change.object['account_id'];
    const isKnown = typeof account === 'number' || typeof account === 'string';
    const owner = { projectId: change.id, ...(isKnown && { accountId: String(account) }) };
    return makeEvent(change, { ...shared, ...owner });
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
