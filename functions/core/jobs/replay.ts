import type { ToEvent } from '../changes/detect-changes.ts';
import { lastChange } from '../changes/last-change.ts';
import type { Identity } from '../changes/place.ts';
import { eventMakerOf } from '../commit/event-maker.ts';
import { quarantineEvents } from '../commit/quarantine-entity.ts';
import type { ChangeEvent } from '../contract/events.ts';
import { chunksOf } from '../model/chunks.ts';
import type { EntityKey, EntityState } from '../model/entity-state.ts';
import { configuredResource, type Feed } from '../model/feed.ts';
import { sumCounts, type Job, type JobCounts } from '../model/job.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { isAfter, isoTime } from '../model/timestamp.ts';
import type { RunContext } from '../run/run-context.ts';

/** States whose events are published at once. */
const STATES_AT_ONCE = 250;

/**
 * Publishes again, from the mirror, the last event of each entity that had one since a time: with the same `id`, and
 * `cause: replay`. Goes on behind the last state that is done, until the time is over.
 *
 * It sends the service no request. Runs are alone, and polling waits meanwhile: so no event is published again that a
 * later one has replaced.
 */
export async function replay(
  feed: Feed & { readonly job: Job },
  run: RunContext,
  signal: AbortSignal,
): Promise<void> {
  const { id, job } = feed;
  let { after, counts } = job;
  let isOver = false;
  try {
    do {
      const { states, next } = await run.ports.store.loadStatesAfter(id, after);
      for (const some of chunksOf(states, STATES_AT_ONCE)) {
        counts = sumCounts([counts, await publishAgain(some, feed, run)]);
        after = some.at(-1)?.key ?? after;
      }
      isOver = next === undefined;
    } while (!isOver && !signal.aborted);
  } finally {
    await save(feed, { after, counts, isOver }, run);
  }
}

async function save(
  { id, job }: Feed & { readonly job: Job },
  reached: { after: EntityKey | undefined; counts: JobCounts | undefined; isOver: boolean },
  { registry, ports }: RunContext,
): Promise<void> {
  const { after, counts, isOver } = reached;
  const { after: _, ...rest } = job;
  const next: Job = {
    ...rest,
    ...(counts && { counts }),
    ...(isOver
      ? { outcome: 'done', finishedAt: isoTime(ports.clock.now()) }
      : after !== undefined && { after }),
  };
  await registry.commit(id, (feed) => (feed.job?.id === job.id ? { ...feed, job: next } : feed));
}

async function publishAgain(
  states: readonly EntityState[],
  feed: Feed & { readonly job: Job },
  run: RunContext,
): Promise<JobCounts> {
  const resource = configuredResource(run.options.catalog, feed);
  if (resource === undefined) return {};
  const toEvent = eventMakerOf({ feed, cause: 'replay', run });
  const { since } = feed.job;
  const events: ChangeEvent[] = [];
  let withoutContent = 0;
  for (const state of states) {
    // An unpublished one is published by the next poll, for the first time.
    const isMeant = state.event !== undefined && state.unpublished === undefined;
    if (!isMeant || (since !== undefined && isAfter(since, state.inferred ?? state.sequence)))
      continue;
    const event = lastEvent(state, feed, resource, toEvent, run);
    if (event === undefined) withoutContent += 1;
    else events.push(event);
  }
  const refused = events.length > 0 ? await run.ports.topic.publish(events) : [];
  run.ports.telemetry.count('EventsPublished', events.length - refused.length);
  await quarantineEvents(refused, { feed, run });
  return { events: events.length - refused.length, withoutContent };
}

/** @returns undefined if the event cannot be made again. It would fail in every run, and hold up its job for ever. */
function lastEvent(
  state: EntityState,
  feed: Feed,
  resource: Resource,
  toEvent: ToEvent,
  { ports }: RunContext,
): ChangeEvent | undefined {
  try {
    const identity = identityOf(state.key, feed, resource);
    const change = identity && lastChange(state, identity);
    return change && toEvent(change);
  } catch (error) {
    const fields = { feed: feed.id, entity: state.key };
    ports.telemetry.error('An event cannot be published again', error, fields);
    return undefined;
  }
}

/** @returns undefined for what is no entity of the list, nor nested in one. */
export function identityOf(key: EntityKey, feed: Feed, resource: Resource): Identity | undefined {
  const [entity = '', first = '', nestedId] = key.split('#');
  const path = `/${feed.id}`;
  if (nestedId === undefined)
    return entity === resource.entity ? { place: { entity, path }, id: first, key } : undefined;
  const nested = resource.nested?.find((each) => each.entity === entity);
  const place = nested && { entity, path: `${path}/${first}/${nested.name}` };
  return place && { place, id: nestedId, key };
}
