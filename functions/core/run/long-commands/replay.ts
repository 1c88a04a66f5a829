import type { DetectedChange } from '../../changes/detect-changes.ts';
import { eventMakerOf } from '../../commit/event-maker.ts';
import { quarantineEvents } from '../../commit/quarantine-entity.ts';
import { chunksOf } from '../../model/chunks.ts';
import {
  isListLeft,
  NO_PROGRESS,
  sumOfCounts,
  type LongCommand,
  type PlacedCommand,
  type Progress,
} from '../../model/command.ts';
import { isChangedWithin, type EntityState } from '../../model/entity-state.ts';
import { FatalError } from '../../model/errors.ts';
import { configuredResource, type Feed } from '../../model/feed.ts';
import type { RunContext } from '../run-context.ts';
import { replayState } from './replay-state.ts';
import type { Step } from './step.ts';

type Replay = Extract<LongCommand, { readonly name: 'replay' }>;

/** Longest time of a step: a run that dies repeats at most so much. */
const STEP_MS = 2_000;
/** States that are told at once: a topic that takes few events in a run takes the next ones in the next. */
const STATES_AT_ONCE = 250;

/**
 * Tells the events again of the entities whose last change lies in a time, list by list and state by state. It reads
 * the table alone, and sends the service no request. What is known is told whether its list is polled or not.
 *
 * Runs are alone, and polling waits meanwhile: so no event is told again that a later one has replaced.
 */
export const replayStep: Step<Replay> = async (placed, { run, until }) => {
  const { clock } = run.ports;
  const end = Math.min(until, clock.now() + STEP_MS);
  const before = placed.progress ?? NO_PROGRESS;
  let progress = before;
  try {
    for (const feed of listsLeft(placed, run)) {
      for await (const reached of replayList(feed, progress, placed.command, run)) {
        progress = reached;
        if (clock.now() >= end) return { progress, isDone: false };
      }
    }
  } catch (error) {
    if (error instanceof FatalError || !(error instanceof Error)) throw error;
    return { progress, isDone: false, failure: error, isFurther: progress !== before };
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

/** Tells a list's states, some at once. @returns how far it is after each of these parts. */
async function* replayList(
  feed: Feed,
  { feedId, position, counts: before }: Progress,
  command: Replay,
  run: RunContext,
): AsyncGenerator<Progress> {
  let after = feedId === feed.id ? position : undefined;
  let counts = before;
  do {
    const { states, next } = await run.ports.store.loadStatesAfter(feed.id, after);
    let left = states.length;
    for (const some of chunksOf(states, STATES_AT_ONCE)) {
      const told = await replayStates(some, feed, command, run);
      left -= some.length;
      after = left > 0 ? some.at(-1)?.key : next;
      counts = sumOfCounts([counts, told, { lists: after === undefined ? 1 : 0 }]);
      yield { feedId: feed.id, ...(after !== undefined && { position: after }), counts };
    }
    if (states.length === 0) yield { feedId: feed.id, counts: sumOfCounts([counts, { lists: 1 }]) };
  } while (after !== undefined);
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
  const toEvent = eventMakerOf({ feed, cause: 'replay' }, run);
  const counts = { events: 0, pending: 0, untold: 0, withoutContent: 0, failed: 0 };
  const changes: DetectedChange[] = [];
  for (const state of states) {
    if (!isChangedWithin(state, command) || resource === undefined) continue;
    if (state.unpublished !== undefined) {
      // The next poll of the list tells it, for the first time.
      counts.pending += 1;
      continue;
    }
    const told = replayState(state, feed, resource, toEvent, telemetry);
    if (typeof told === 'string') counts[told === 'silent' ? 'untold' : told] += 1;
    else changes.push(told);
  }
  if (changes.length === 0) return counts;
  const events = changes.map(({ event }) => event);
  const refused = await topic.publish(events);
  telemetry.count('EventsPublished', events.length - refused.length);
  await quarantineEvents(refused, { feed }, run);
  return { ...counts, events: events.length - refused.length };
}
