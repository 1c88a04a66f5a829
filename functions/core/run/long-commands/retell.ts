import type { DetectedChange } from '../../changes/detect-changes.ts';
import { eventMakerOf } from '../../commit/event-maker.ts';
import { quarantineEvents } from '../../commit/quarantine-entity.ts';
import type { ChangeEvent } from '../../contract/events.ts';
import { isListLeft, NO_PROGRESS, sumOfCounts, type LongCommand } from '../../model/command.ts';
import { PublishFailedError } from '../../model/errors.ts';
import { configuredResource, isPolled, type Feed } from '../../model/feed.ts';
import type { RefusedEvent } from '../../ports/event-topic.ts';
import type { RunContext } from '../run-context.ts';
import { notReplayed, replayState } from './replay-state.ts';
import type { Step } from './step.ts';

/** Times that the topic may fail before the events are quarantined again: it may be the fault of one of them. */
const MAX_TRIES = 3;

/** Events that are made at once. */
const EVENTS_AT_ONCE = 100;

/** A later event of the entity may be published, and its state not saved. */
const MAY_BE_OUTDATED =
  'its list fails, or a page of it is not saved: retry it once the list is read';

type Retell = Extract<LongCommand, { readonly name: 'retell' }>;

/**
 * Tells events again that the topic refused, from the states of their entities: in a step as many of one list as fit
 * into memory. One that the topic refuses again comes back to the quarantine, and so do those of a step that fails three
 * times; one that a later event has replaced is not told, nor one that cannot be made, or whose state has expired: it
 * is counted, and the log names it.
 */
export const retellStep: Step<Retell> = async (placed, { run }) => {
  const { command, progress = NO_PROGRESS } = placed;
  const [feed, ...others] = run.registry
    .all()
    .filter(({ id }) => id in command.lists)
    // The list of an event may be configured no more.
    .filter((each) => isListLeft(each, '', placed))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  if (feed === undefined) return { progress, isDone: true };
  const { feedId, position = 0, failures = 0, counts } = progress;
  const all = command.lists[feed.id] ?? [];
  const start = feedId === feed.id ? Number(position) : 0;
  const end = start + EVENTS_AT_ONCE;
  const refused = all.slice(start, end);
  const { changes, failedCount: failed } = await changesOf(refused, feed, run);
  const events = changes.map(({ event }) => event);
  let again: readonly RefusedEvent[];
  let tries = {};
  try {
    again = mayBeOutdated(feed, run)
      ? withReason(events, MAY_BE_OUTDATED)
      : await publish(events, run);
  } catch (error) {
    if (!(error instanceof PublishFailedError)) throw error;
    if (failures + 1 < MAX_TRIES) return { progress, isDone: false, failure: error };
    again = withReason(events, error.message);
    // The topic is not tried as often for what comes next.
    tries = { failures };
  }
  run.ports.telemetry.count('EventsPublished', events.length - again.length);
  await quarantineEvents(again, { feed }, run);
  const outdated = refused.length - events.length - failed;
  const isListDone = end >= all.length;
  return {
    progress: {
      feedId: feed.id,
      ...(!isListDone && { position: String(end) }),
      ...tries,
      counts: sumOfCounts([counts, { events: events.length, outdated, failed }]),
    },
    isDone: isListDone && others.length === 0,
  };
};

/**
 * A failure of the list takes the place of that of a page before it, which is still not saved. One that is paused, refused
 * or of a deleted project may stay so for ever: nothing would be told.
 */
function mayBeOutdated(feed: Feed, { options }: RunContext): boolean {
  return feed.wait !== undefined && isPolled(options.catalog, feed);
}

/** @returns the events that the topic refuses. */
async function publish(
  events: readonly ChangeEvent[],
  { ports }: RunContext,
): Promise<readonly RefusedEvent[]> {
  return events.length > 0 ? ports.topic.publish(events) : [];
}

function withReason(events: readonly ChangeEvent[], reason: string): readonly RefusedEvent[] {
  return events.map((event) => ({ event, reason }));
}

async function changesOf(
  refused: Retell['lists'][string],
  feed: Feed,
  run: RunContext,
): Promise<{ readonly changes: readonly DetectedChange[]; readonly failedCount: number }> {
  const { telemetry } = run.ports;
  // Config may leave the list out by now.
  const resource = configuredResource(run.options.catalog, feed);
  const toEvent = eventMakerOf({ feed, cause: 'replay' }, run);
  const keys = refused.map(({ key }) => key);
  const states = await run.ports.store.loadStates(feed.id, keys);
  const changes: DetectedChange[] = [];
  let failedCount = 0;
  for (const { key, sequence } of refused) {
    const state = states.get(key);
    if (state && (state.sequence !== sequence || state.unpublished !== undefined)) continue;
    const told = state
      ? replayState(state, feed, resource, toEvent, telemetry)
      : notReplayed(new Error('Its state has expired'), key, feed, telemetry);
    if (typeof told === 'string') {
      // One that failed is named already.
      if (told !== 'failed') notReplayed(new Error(`Its state is ${told}`), key, feed, telemetry);
      failedCount += 1;
    } else changes.push(told);
  }
  return { changes, failedCount };
}
