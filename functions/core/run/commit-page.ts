import { detectChanges, type DetectOptions } from '../changes/detect-changes.ts';
import { chunksOf } from '../changes/groups.ts';
import { invalidState } from '../changes/invalid-entity.ts';
import type { PageChanges } from '../changes/page/page-changes.ts';
import type { ToEvent, ToldChange } from '../changes/tell.ts';
import { lagSecondsOf, makeEvent, type EventContext } from '../events/make-event.ts';
import { afterPage } from '../feeds/feed-lifecycle.ts';
import { placeOrders, type ProjectsPage } from '../feeds/place-orders.ts';
import { syncProjects } from '../feeds/sync-projects.ts';
import type { EntityState } from '../model/entity-state.ts';
import type { Feed } from '../model/feed.ts';
import { accountOf, type ProjectState } from '../model/project-state.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { latestOf, type Timestamp } from '../model/timestamp.ts';
import type { FeedPage } from '../paging/paginator.ts';
import type { RefusedEvent } from '../ports/event-topic.ts';
import type { QuarantinedItem } from '../ports/quarantine.ts';
import type { Page } from '../ports/service-api.ts';
import type { RunContext } from './run-context.ts';
import type { SweepContext } from './sweep-context.ts';

/** Items that are quarantined and remembered at once: a page may have tens of thousands. */
const QUARANTINE_CHUNK = 500;
/** Of each chunk so many items are logged. */
const MAX_LOGGED = 10;

/** Detects the changes on a page, publishes and saves them part by part, and advances the feed's cursor. */
export async function commitPage(
  id: string,
  feedPage: FeedPage,
  resource: Resource,
  context: SweepContext,
): Promise<void> {
  const feed = context.run.registry.get(id);
  const times: Timestamp[] = [];
  for await (const changes of detectPageChanges(feedPage, feed, resource, context.run)) {
    await publishAndSave(changes, feed, feedPage, resource, context);
    times.push(...changes.changes.map(({ time }) => time));
    if (changes.isLast) await checkpoint(changes, times, feed, feedPage, context.run);
  }
}

/** How the changes on a page are told. Default: as polling does. */
export interface Telling extends Pick<DetectOptions, 'comparesAllLists'> {
  readonly cause?: EventContext['cause'];
}

/** Detects the changes on a page, part by part, see {@link detectChanges}. */
export function detectPageChanges(
  feedPage: Pick<FeedPage, 'page' | 'isCaughtUp' | 'cursor'>,
  feed: Feed,
  resource: Resource,
  run: RunContext,
  { cause, comparesAllLists }: Telling = {},
): AsyncIterable<PageChanges> {
  const caughtUpAt = feedPage.isCaughtUp ? feedPage.cursor : undefined;
  const { paging, groupSize } = run.options;
  const { lookbackMs } = paging;
  const { forgottenBefore, stateGroups } = run;
  const toEvent = eventMakerOf(feed, run, cause);
  const options = {
    ...{ caughtUpAt, lookbackMs, toEvent, groupSize },
    ...{ forgottenBefore, stateGroups, comparesAllLists },
  };
  return detectChanges(feedPage.page, feed, resource, run.ports.store, options);
}

/** The page on which changes were found. */
export type ChangedPage = Pick<FeedPage, 'page' | 'requestedCursor'>;

/** The run, and who polls lists that changes of projects make due. */
export type CommitContext = Pick<SweepContext, 'run'> & {
  readonly queue: Pick<SweepContext['queue'], 'addFirst'>;
};

/**
 * Publishes and saves the changes of a part of a page in their order. If the quarantine
 * fails, as little as possible is published again: nothing when it fails for invalid entities, and the
 * refused events alone when it fails for these.
 */
export async function publishAndSave(
  changes: PageChanges,
  feed: Feed,
  feedPage: ChangedPage,
  resource: Resource,
  context: CommitContext,
): Promise<void> {
  const { run } = context;
  await quarantineEntities(changes, feed, feedPage, run);
  await save(feed, changes.outbox.parents, run);
  await save(feed, changes.outbox.items, run);
  const refused = await publish(changes.changes, run);
  const nested = divide(changes.states.nested, refused);
  const own = divide(changes.states.own, refused);
  await save(feed, nested.accepted, run);
  // Before its own state: a project with a state must have its feeds, because the list may not show it again soon.
  if (resource === run.options.catalog.projects) {
    await syncFeeds(changes.projects, { feed, page: feedPage.page }, context);
  }
  await save(feed, own.accepted, run);
  await quarantineEvents(refused, feed, feedPage, run);
  await save(feed, nested.others, run);
  await save(feed, own.others, run);
}

/**
 * Reports what is unusual about a page, and advances the cursor.
 *
 * @param times of all changes on the page.
 */
async function checkpoint(
  changes: PageChanges,
  times: readonly Timestamp[],
  feed: Feed,
  feedPage: FeedPage,
  { ports, options, paging, registry, summary }: RunContext,
): Promise<void> {
  const { telemetry, clock } = ports;
  // Before the commit: the page is not read again after it.
  if (feedPage.saturated !== undefined) {
    telemetry.count('SaturatedTimestamp', 1);
    telemetry.warn(
      'More entities share a timestamp than the largest page holds; some may stay unseen until they change',
      { feed: feed.id, saturatedTimestamp: feedPage.saturated },
    );
  }
  const result = {
    ...feedPage,
    readAfter: feedPage.page.readAfter,
    boundary: changes.boundary,
    isNews: changes.isNews,
    isCaughtUp: feedPage.isCaughtUp && !changes.isUndecided,
    lookbackMs: options.paging.lookbackMs,
    ...activityOn(feedPage.page, times, clock.now()),
  };
  const after = (current: Feed): Feed => afterPage(current, result, clock.now());
  const { cursor } = await registry.commit(feed.id, after);
  if (feedPage.isLast && paging.serviceTime.isAhead(cursor, feedPage.page)) {
    telemetry.count('CursorAhead', 1);
    telemetry.warn(
      'The cursor of a feed lies ahead of now; changes dated before it stay unseen until they change again. Check the clock of the service',
      { feed: feed.id, cursor },
    );
  }
  summary.pages += 1;
  summary.entities += feedPage.page.entities.length;
  telemetry.count('PagesRead', 1);
}

/**
 * The number of changes on a page and the time of the latest, by our clock. Its age is measured by the
 * service's clock.
 */
function activityOn({ readAfter }: Page, times: readonly Timestamp[], now: number) {
  const latest = latestOf(times);
  const ageMs = readAfter && latest ? Date.parse(readAfter) - Date.parse(latest) : 0;
  return { changeCount: times.length, changedAt: now - Math.max(0, ageMs) };
}

async function save(feed: Feed, states: readonly EntityState[], run: RunContext): Promise<void> {
  if (states.length > 0) await run.ports.store.saveStates(feed.id, states);
}

/** Publishes the changes. @returns the events that the topic refuses. */
async function publish(
  changes: readonly ToldChange[],
  { ports, summary }: RunContext,
): Promise<readonly RefusedEvent[]> {
  const { topic, telemetry } = ports;
  const events = changes.map(({ event }) => event);
  const refused = events.length > 0 ? await topic.publish(events) : [];
  const refusedEvents = new Set(refused.map(({ event }) => event));
  for (const { action, event } of changes) {
    if (refusedEvents.has(event)) continue;
    summary.events[action] += 1;
    // What an operator has told again, or is healed, says nothing of the lag of polling.
    if (event.cause === 'poll') telemetry.observe('EventLagSeconds', lagSecondsOf(event));
  }
  telemetry.count('EventsPublished', events.length - refused.length);
  return refused;
}

/** Quarantines the invalid entities of a page and remembers them, so that no later failure repeats this. */
async function quarantineEntities(
  { invalid }: PageChanges,
  feed: Feed,
  feedPage: ChangedPage,
  run: RunContext,
): Promise<void> {
  for (const chunk of chunksOf(invalid, QUARANTINE_CHUNK)) {
    await quarantine(chunk, feed, feedPage, run);
    await save(feed, chunk.map(invalidState), run);
  }
}

async function quarantineEvents(
  refused: readonly RefusedEvent[],
  feed: Feed,
  feedPage: ChangedPage,
  run: RunContext,
): Promise<void> {
  for (const chunk of chunksOf(refused, QUARANTINE_CHUNK)) {
    const items = chunk.map(({ event, reason }) => ({ value: event, reason }));
    await quarantine(items, feed, feedPage, run);
  }
}

async function quarantine(
  items: readonly Pick<QuarantinedItem, 'value' | 'reason'>[],
  feed: Feed,
  { requestedCursor }: ChangedPage,
  { ports, summary }: RunContext,
): Promise<void> {
  const { telemetry } = ports;
  const origin = {
    feed: feed.id,
    ...(requestedCursor !== undefined && { cursor: requestedCursor }),
  };
  await ports.quarantine.put(items.map(({ value, reason }) => ({ ...origin, reason, value })));
  summary.quarantined += items.length;
  telemetry.count('Quarantined', items.length);
  for (const { reason } of items.slice(0, MAX_LOGGED))
    telemetry.warn('An entity or event was quarantined', { ...origin, reason });
  if (items.length > MAX_LOGGED) {
    const quarantined = items.length - MAX_LOGGED;
    telemetry.warn('Further entities or events were quarantined', { ...origin, quarantined });
  }
}

/**
 * Tells the states whose events were accepted from others: of an entity whose event was refused, and of the
 * parent of such an entity, since a saved parent says that its nested entities are saved.
 */
function divide(states: readonly EntityState[], refused: readonly RefusedEvent[]) {
  const subjects = refused.map(({ event }) => event.subject.split('/'));
  const isOther = ({ key }: EntityState): boolean => {
    const [, ...ids] = key.split('#');
    return subjects.some((segments) => ids.every((id) => segments.includes(id)));
  };
  return {
    accepted: states.filter((state) => !isOther(state)),
    others: states.filter(isOther),
  };
}

/** Makes the events of a feed's changes. */
export function eventMakerOf(
  { projectId, accountId }: Feed,
  { ports, options }: RunContext,
  cause: EventContext['cause'] = 'poll',
): ToEvent {
  const now = new Date(ports.clock.now()).toISOString();
  const shared = { source: options.source, cause, now } as const;
  if (projectId !== undefined) {
    const context = { ...shared, projectId, ...(accountId !== undefined && { accountId }) };
    return (change) => makeEvent(change, context);
  }
  return (change) =>
    makeEvent(change, { ...shared, projectId: change.id, ...accountOf(change.object) });
}

/** Syncs the feeds of the projects on a page, and polls the affected ones in this sweep. */
async function syncFeeds(
  projects: readonly ProjectState[],
  shown: ProjectsPage,
  { run, queue }: CommitContext,
): Promise<void> {
  const { options, registry, summary, ports } = run;
  const { catalog, partitions } = options;
  const orders = await placeOrders(projects, shown, partitions, ports.store);
  const { due, parkedCount } = await syncProjects(orders, catalog, registry, ports.clock.now());
  queue.addFirst(due);
  summary.parked += parkedCount;
  ports.telemetry.count('FeedsParked', parkedCount);
}
