/**
 * Publishes the last event of each entity again, from the mirror, with the same `id`.
 *
 * A run goes on behind the last state that is done, and sends no request to the service. No other
 * run has the list, and polling waits meanwhile: so no event is published after a later one of its
 * entity.
 */
import { detectLast } from '../changes/detect-changes.ts';
import { identityOf } from '../changes/place.ts';
import { eventMakerOf } from '../commit/event-maker.ts';
import { publish } from '../commit/publish.ts';
import { quarantineEntities } from '../commit/quarantine-entity.ts';
import type { EntityState } from '../model/entity-state.ts';
import { sumCounts, type JobCounts } from '../model/job.ts';
import { isAfter, laterOf, type Timestamp } from '../model/timestamp.ts';
import { saveJob, type ListJob } from './list-job.ts';

/** Replays one list. */
export async function replay(list: ListJob, signal: AbortSignal): Promise<void> {
  const { feed, run } = list;
  const { id, job } = feed;
  let { after, counts } = job;
  let isOver = false;
  try {
    do {
      const { states, next } = await run.ports.store.loadStatesAfter(id, after);
      const meant = states.filter((state) => isMeant(state, job.since));
      counts = sumCounts([counts, await publishAgain(meant, list)]);
      after = next;
      isOver = next === undefined;
    } while (!isOver && !signal.aborted);
  } finally {
    const reached = isOver ? { outcome: 'done' as const } : after && { after };
    await saveJob(list, { ...reached, ...(counts && { counts }) });
  }
}

/** An unpublished state is published by the next poll, for the first time. */
function isMeant(
  { event, unpublished, inferred, sequence }: EntityState,
  since: Timestamp | undefined,
): boolean {
  if (event === undefined || unpublished !== undefined) return false;
  return since === undefined || !isAfter(since, laterOf(inferred, sequence));
}

async function publishAgain(states: readonly EntityState[], list: ListJob): Promise<JobCounts> {
  const { feed, resource } = list;
  const byKey = new Map(states.map((state) => [state.key, state]));
  const entities = states.flatMap(({ key }) => identityOf(key, feed, resource) ?? []);
  const { detected, invalid } = detectLast(entities, byKey, eventMakerOf(list));
  await quarantineEntities(invalid, list);
  const events = await publish(detected, list);
  return { events, withoutContent: entities.length - detected.length };
}
