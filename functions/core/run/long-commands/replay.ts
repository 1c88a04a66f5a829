import type { ToldChange } from '../../changes/tell.ts';
import {
  isListLeft,
  NO_PROGRESS,
  sumOfCounts,
  type LongCommand,
  type PlacedCommand,
  type Progress,
} from '../../model/command.ts';
import type { EntityState } from '../../model/entity-state.ts';
import { resourceOf, type Feed } from '../../model/feed.ts';
import type { Resource } from '../../model/resource-catalog.ts';
import { isAfter } from '../../model/timestamp.ts';
import { eventMakerOf } from '../commit/event-maker.ts';
import { quarantineEvents } from '../commit/quarantine-items.ts';
import type { RunContext } from '../run-context.ts';
import { replayState } from './replay-state.ts';
import type { PlacedLongCommand, Step, StepResult } from './step.ts';

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
  let result: StepResult = { progress: placed.progress ?? NO_PROGRESS, isDone: false };
  do result = await replayPart(placed, result.progress, run);
  while (!result.isDone && clock.now() < end);
  return result;
};

/** Tells one part of a list's states. */
async function replayPart(
  placed: PlacedLongCommand<Replay>,
  progress: Progress,
  run: RunContext,
): Promise<StepResult> {
  const feed = nextFeed({ ...placed, progress }, run);
  const resource = feed && resourceOf(run.options.catalog, feed);
  if (feed === undefined || resource === undefined) return { progress, isDone: true };
  const { states, next } = await run.ports.store.loadStatesAfter(feed.id, progress.position);
  const told = await replayStates(states, feed, resource, placed.command, run);
  return {
    progress: {
      feedId: feed.id,
      ...(next !== undefined && { position: next }),
      counts: sumOfCounts([progress.counts, told, { lists: next === undefined ? 1 : 0 }]),
    },
    isDone: false,
  };
}

/** The next list in the order of their ids, or the one that a step has left in its middle. */
function nextFeed(placed: PlacedCommand, { registry, options }: RunContext): Feed | undefined {
  return registry
    .all()
    .filter((feed) => isListLeft(feed, resourceOf(options.catalog, feed)?.name, placed))
    .reduce<Feed | undefined>(
      (first, feed) => (first && first.id < feed.id ? first : feed),
      undefined,
    );
}

/** @returns how many were told, and how many were not, by the reason. */
async function replayStates(
  states: readonly EntityState[],
  feed: Feed,
  resource: Resource,
  { since, until }: Replay,
  run: RunContext,
): Promise<Readonly<Record<string, number>>> {
  const { topic, telemetry } = run.ports;
  const toEvent = eventMakerOf(feed, 'replay', run);
  const counts = { events: 0, untold: 0, withoutContent: 0 };
  const changes: ToldChange[] = [];
  for (const state of states) {
    const isInTime = !isAfter(since, state.sequence) && !isAfter(state.sequence, until);
    // The next poll of the list tells what is pending.
    if (!isInTime || state.pendingEvent !== undefined) continue;
    const told = replayState(state, feed, resource, toEvent);
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
