import { type FeedPage } from '../paging/paginator.ts';
import { type Resource } from '../model/resource-catalog.ts';
import { type PollContext } from './poll-context.ts';
import { type PageChanges, detectChanges } from '../changes/detect-changes.ts';
import { type Feed } from '../model/feed.ts';
import { afterPage } from '../feeds/feed-lifecycle.ts';
import { type Page } from '../ports/service-api.ts';
import { type Change } from '../model/change.ts';
import { latestOf, type Timestamp } from '../model/timestamp.ts';
import { type EntityState } from '../model/entity-state.ts';
import { type Telemetry } from '../ports/telemetry.ts';
import { type ChangeEvent } from '../contract/events.ts';
import { makeEvent } from '../events/make-event.ts';
import { type ProjectState } from '../model/project-state.ts';
import { syncProjects } from '../feeds/sync-projects.ts';

export async function commitPage(
  id: string,
  feedPage: FeedPage,
  resource: Resource,
  context: PollContext,
): Promise<void> {
  const feed = context.registry.get(id);
  const work = await workOut(feedPage, feed, resource, context);
  await publishAndSave(work, feed, feedPage, resource, context);
}

/** Publishes and saves what a page comes to, and moves the cursor. */
export async function publishAndSave(
  work: PageChanges,
  feed: Feed,
  feedPage: FeedPage,
  resource: Resource,
  context: PollContext,
): Promise<void> {
  const { registry, summary, telemetry, clock } = context;
  const { id } = feed;
  await save(id, work.outbox.parents, context);
  await save(id, work.outbox.items, context);
  await publish(work, feed, feedPage, context);
  await save(id, work.states.nested, context);
  // A project that is known has its feeds: it may not be shown again for a long time.
  if (resource === context.catalog.projects) await follow(work.projects, feed, context);
  await save(id, work.states.own, context);
  // Before the commit: the page is not read again, so nobody else would tell.
  if (feedPage.saturated !== undefined) reportSaturated(id, feedPage.saturated, telemetry);
  const done = {
    ...feedPage,
    boundary: work.boundary,
    isNews: work.isNews,
    lookbackMs: context.paging.lookbackMs,
    ...changesOn(feedPage.page, work.changes, clock.now()),
  };
  await registry.commit(id, (current) => afterPage(current, done, clock.now()));
  summary.pages += 1;
  summary.entities += feedPage.page.entities.length;
  telemetry.count('PagesRead', 1);
}

/**
 * How many changes a page shows, and when the latest happened, by our clock: how long ago is told by
 * the service's own.
 */
export function changesOn({ readAfter }: Page, changes: readonly Change[], now: number) {
  const latest = latestOf(changes.map(({ time }) => time));
  const ago = readAfter && latest ? Date.parse(readAfter) - Date.parse(latest) : 0;
  return { changes: changes.length, changedAt: now - Math.max(0, ago) };
}

/** Works a page out, and before that finishes what a run that died has begun. */
export async function workOut(
  feedPage: FeedPage,
  feed: Feed,
  resource: Resource,
  context: PollContext,
): Promise<PageChanges> {
  const settledAt = feedPage.isCaughtUp ? feedPage.cursor : undefined;
  const workOutAgain = () => detectChanges(feedPage.page, feed, resource, context.store, settledAt);
  const work = await workOutAgain();
  if (work.pending.length === 0) return work;
  const changes = work.pending.map(({ change }) => change);
  await publish({ changes, invalid: [] }, feed, feedPage, context);
  const states = work.pending.map(({ state }) => state);
  await save(feed.id, states, context);
  return workOutAgain();
}

export async function save(
  id: string,
  known: readonly EntityState[],
  context: PollContext,
): Promise<void> {
  if (known.length > 0) await context.store.saveStates(id, known);
}

export function reportSaturated(feed: string, timestamp: Timestamp, telemetry: Telemetry): void {
  telemetry.count('SaturatedTimestamp', 1);
  telemetry.warn(
    'More entities share a timestamp than the largest page shows; some may stay unseen until they change',
    { feed, timestamp },
  );
}

export async function publish(
  work: Pick<PageChanges, 'changes' | 'invalid'>,
  feed: Feed,
  feedPage: FeedPage,
  context: PollContext,
): Promise<void> {
  const { topic, quarantine, summary, telemetry } = context;
  const from = {
    feed: feed.id,
    ...(feedPage.requestedCursor !== undefined && { cursor: feedPage.requestedCursor }),
  };
  const events = eventsOf(work.changes, feed, context);
  const refused = events.length > 0 ? await topic.publish(events) : [];
  const setAside = [
    ...work.invalid.map(({ value, reason }) => ({ ...from, reason, value })),
    ...refused.map(({ event, reason }) => ({ ...from, reason, value: event })),
  ];
  if (setAside.length > 0) {
    await quarantine.put(setAside);
    summary.quarantined += setAside.length;
    telemetry.count('Quarantined', setAside.length);
    for (const { reason } of setAside)
      telemetry.warn('Set aside in the quarantine', { ...from, reason });
  }
  const isRefused = new Set(refused.map(({ event }) => event));
  for (const [i, event] of events.entries()) {
    const action = work.changes[i]?.action;
    if (action !== undefined && !isRefused.has(event)) summary.events[action] += 1;
  }
  telemetry.count('EventsPublished', events.length - refused.length);
}

/** The events of a page. What they share is worked out once. */
export function eventsOf(
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

export async function follow(
  latest: readonly ProjectState[],
  projectsFeed: Feed,
  context: PollContext,
): Promise<void> {
  const { due, parked } = await syncProjects(
    latest,
    projectsFeed,
    context.catalog,
    context.registry,
  );
  context.enqueue(due);
  context.summary.parked += parked;
  context.telemetry.count('FeedsParked', parked);
}
