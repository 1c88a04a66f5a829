import type { PageChanges } from '../../changes/page/page-changes.ts';
import type { ToldChange } from '../../changes/tell.ts';
import { lagSecondsOf } from '../../events/make-event.ts';
import { placeOrders } from '../../feeds/place-orders.ts';
import { syncProjects } from '../../feeds/sync-projects.ts';
import { withExpiry, type EntityState } from '../../model/entity-state.ts';
import type { Feed } from '../../model/feed.ts';
import type { ProjectState } from '../../model/project-state.ts';
import type { Resource } from '../../model/resource-catalog.ts';
import type { RefusedEvent } from '../../ports/event-topic.ts';
import type { Page } from '../../ports/service-api.ts';
import type { RunContext } from '../run-context.ts';
import { quarantineEntities, quarantineEvents, type QuarantineOrigin } from './quarantine-items.ts';

/** Where changes were found. */
export interface Origin extends QuarantineOrigin {
  readonly resource: Resource;
  readonly page: Pick<Page, 'readBefore'>;
  /** Called with the ids of feeds that are to be polled now: new, resumed or just parked. */
  readonly onDue: (feedIds: readonly string[]) => void;
}

/**
 * Publishes and saves the changes of a part of a page in their order. If the quarantine
 * fails, as little as possible is published again: nothing when it fails for invalid entities, and the
 * refused events alone when it fails for these.
 */
export async function publishAndSave(
  changes: PageChanges,
  origin: Origin,
  run: RunContext,
): Promise<void> {
  const { feed, resource } = origin;
  await quarantineEntities(changes.invalid, origin, run);
  if (changes.outbox.items.length > 0) {
    // A list at the cursor may be shown again as it was when this digest was made. It must not hide that.
    await run.registry.commit(feed.id, withoutBoundary, { mustBeFresh: true });
  }
  await save(feed, changes.outbox.parents, run);
  await save(feed, changes.outbox.items, run);
  const refused = await publish(changes.changes, run);
  const nested = divide(changes.states.nested, refused);
  const own = divide(changes.states.own, refused);
  await save(feed, nested.accepted, run);
  // Before its own state: a project with a state must have its feeds, because the list may not show it again soon.
  if (resource === run.options.catalog.projects) {
    await syncFeeds(changes.projects, origin, run);
  }
  await save(feed, own.accepted, run);
  await quarantineEvents(refused, origin, run);
  await save(feed, nested.others, run);
  await save(feed, own.others, run);
}

function withoutBoundary({ boundary: _, ...feed }: Feed): Feed {
  return feed;
}

/** Syncs the feeds of the projects on a page. */
async function syncFeeds(
  projects: readonly ProjectState[],
  { feed, page, onDue }: Origin,
  run: RunContext,
): Promise<void> {
  const { options, registry, summary, ports } = run;
  const { catalog, partitions } = options;
  const orders = await placeOrders(projects, { feed, page }, { partitions, store: ports.store });
  const { due, parkedCount } = await syncProjects(orders, catalog, registry);
  onDue(due);
  summary.parked += parkedCount;
  ports.telemetry.count('FeedsParked', parkedCount);
}

async function save(
  feed: Feed,
  states: readonly EntityState[],
  { ports, options }: RunContext,
): Promise<void> {
  if (states.length === 0) return;
  const now = ports.clock.now();
  const toSave = states.map((state) => withExpiry(state, now, options.retentionMs));
  await ports.store.saveStates(feed.id, toSave);
}

/** Publishes the changes. @returns the events that the topic refuses. */
export async function publish(
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
    // What is told again or healed says nothing of the lag of polling.
    if (event.cause === 'poll') telemetry.observe('EventLagSeconds', lagSecondsOf(event));
  }
  telemetry.count('EventsPublished', events.length - refused.length);
  return refused;
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
