import type { ToldChange } from '../../changes/tell.ts';
import {
  isListLeft,
  NO_PROGRESS,
  sumOfCounts,
  type LongCommand,
  type PlacedCommand,
  type Progress,
} from '../../model/command.ts';
import { isChangedWithin, type EntityState } from '../../model/entity-state.ts';
import { configuredResource, type Feed } from '../../model/feed.ts';
import { eventMakerOf } from '../commit/event-maker.ts';
import { quarantineEvents } from '../commit/quarantine-items.ts';
import type { RunContext } from '../run-context.ts';
import { replayState } from './replay-state.ts';
import type { Step } from './step.ts';

type Replay = Extract<LongCommand, { readonly name: 'replay' }>;

/** Longest time of a step: a run that dies repeats at most so much. */
const STEP_MS = 2_000;

/**
 * Tells the events again of the entities whose last change lies in a time, list by list and state by state. It reads
 * the table alone, and sends the service no request. What is known is told whether its list is polled or not.
 *
 * Runs are alone, and polling waits meanwhile: so no event is told again that a later one has replaced.
 */
export const replayStep: Step<Replay> = async (placed, { run, until }) => {
  const { clock } = run.ports;
  const end = Math.min(until, clock.now() + STEP_MS);
  let progress = placed.progress ?? NO_PROGRESS;
  for (const feed of listsLeft(placed, run)) {
    do {
      progress = await replayPart(feed, progress, placed.command, run);
      if (clock.now() >= end) return { progress, isDone: false };
    } while (progress.position !== undefined);
  }
  return { progress, isDone: true };
};

/** The lists that are left, in the order of their ids: the first may be one that a step has left in its middle. */
function listsLeft(placed: PlacedCommand, { registry, options }: RunContext): readonly Feed[] {
  return registry
    .all()
    .filter((feed) => isListLeft(feed, configuredResource(options.catalog, feed)?.name, placed))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Tells one part of a list's states. */
async function replayPart(
  feed: Feed,
  { feedId, position, counts }: Progress,
  command: Replay,
  run: RunContext,
): Promise<Progress> {
  // The list that was left in its middle may be forgotten since.
  const after = feedId === feed.id ? position : undefined;
  const { states, next } = await run.ports.store.loadStatesAfter(feed.id, after);
  const told = await replayStates(states, feed, command, run);
  return {
    feedId: feed.id,
    ...(next !== undefined && { position: next }),
    counts: sumOfCounts([counts, told, { lists: next === undefined ? 1 : 0 }]),
  };
}

/** @returns how many were told, and how many were not, by the reason. */
async function replayStates(
  states: readonly EntityState[],
  feed: Feed,
  command: Replay,
  run: RunContext,
): Promise<Progress['counts']> {
  const { topic, telemetry } = run.ports;
  const resource = configuredResource(run.options.catalog, feed);
  const toEvent = eventMakerOf(feed, 'replay', run);
  const counts = { events: 0, pending: 0, untold: 0, withoutContent: 0, failed: 0 };
  const changes: ToldChange[] = [];
  for (const state of states) {
    if (!isChangedWithin(state, command) || resource === undefined) continue;
    if (state.pendingEvent !== undefined) {
      // The next poll of the list tells it, for the first time.
      counts.pending += 1;
      continue;
    }
    const told = replayState(state, feed, resource, toEvent, telemetry);
    if (typeof told === 'string') counts[told] += 1;
    else changes.push(told);
  }
  if (changes.length === 0) return counts;
  const events = changes.map(({ event }) => event);
  const refused = await topic.publish(events);
  telemetry.count('EventsPublished', events.length - refused.length);
  await quarantineEvents(refused, { feed }, run);
  return { ...counts, events: events.length - refused.length };
}
