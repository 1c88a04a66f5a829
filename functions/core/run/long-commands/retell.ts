import type { ToldChange } from '../../changes/tell.ts';
import type { ChangeEvent } from '../../contract/events.ts';
import type { LongCommand, Progress } from '../../model/command.ts';
import { PublishFailedError } from '../../model/errors.ts';
import { configuredResource, feedPartition, isPolled, type Feed } from '../../model/feed.ts';
import type { RefusedEvent } from '../../ports/event-topic.ts';
import { eventMakerOf } from '../commit/event-maker.ts';
import { quarantineEvents } from '../commit/quarantine-items.ts';
import type { RunContext } from '../run-context.ts';
import { notReplayed, replayState } from './replay-state.ts';
import type { Step } from './step.ts';

/** Times that the topic may fail before the events are quarantined again: it may be the fault of one of them. */
const MAX_TRIES = 3;

/** A later event of the entity may be published, and its state not saved. */
const MAY_BE_OUTDATED =
  'its list fails, or a page of it is not saved: retry it once the list is read';

type Retell = Extract<LongCommand, { readonly name: 'retell' }>;

/**
 * Tells events again that the topic refused, from the states of their entities. One that the topic refuses again comes
 * back to the quarantine, and so do those of a list for which it fails three times; one that a later event has replaced
 * is not told, nor one that cannot be made, or whose entity is forgotten: it is counted, and the log names it.
 */
export const retellStep: Step<Retell> = async (
  { partition, command, progress: before },
  { run },
) => {
  const tryCount = Number(before?.position ?? 0) + 1;
  const counts = { events: 0, outdated: 0, failed: 0 };
  for (const feed of run.registry.all()) {
    const refused = command.lists[feed.id];
    if (feedPartition(feed) !== partition || refused === undefined) continue;
    const { changes, failedCount } = await changesOf(refused, feed, run);
    counts.events += changes.length;
    counts.failed += failedCount;
    counts.outdated += refused.length - changes.length - failedCount;
    const events = changes.map(({ event }) => event);
    let again: readonly RefusedEvent[];
    try {
      again = mayBeOutdated(feed, run)
        ? withReason(events, MAY_BE_OUTDATED)
        : await publish(events, run);
    } catch (error) {
      if (!(error instanceof PublishFailedError)) throw error;
      if (tryCount < MAX_TRIES) {
        const progress: Progress = { feedId: '', position: String(tryCount), counts: {} };
        return { progress, isDone: false, failure: error };
      }
      again = withReason(events, error.message);
    }
    run.ports.telemetry.count('EventsPublished', events.length - again.length);
    await quarantineEvents(again, { feed }, run);
  }
  const progress: Progress = { feedId: '', counts };
  return { progress, isDone: true };
};

/**
 * A failure of the list takes the place of that of a page before it, which is still not saved. One that is paused, refused
 * or of a deleted project may stay so for ever: nothing would be told.
 */
function mayBeOutdated(feed: Feed, { uncommitted, options }: RunContext): boolean {
  const { id, hasUncommittedPage, failures, parked } = feed;
  const isRead = parked === undefined && isPolled(options.catalog, feed);
  return hasUncommittedPage === true || (failures > 0 && isRead) || uncommitted.has(id);
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
): Promise<{ readonly changes: readonly ToldChange[]; readonly failedCount: number }> {
  const { telemetry } = run.ports;
  // Config may leave the list out by now.
  const resource = configuredResource(run.options.catalog, feed);
  const toEvent = eventMakerOf(feed, 'replay', run);
  const keys = refused.map(({ key }) => key);
  const states = await run.ports.store.loadStates(feed.id, keys);
  const changes: ToldChange[] = [];
  let failedCount = 0;
  for (const { key, sequence } of refused) {
    const state = states.get(key);
    if (state && (state.sequence !== sequence || state.pendingEvent !== undefined)) continue;
    const told = state
      ? replayState(state, feed, resource, toEvent, telemetry)
      : notReplayed(new Error('Its entity is forgotten'), key, feed, telemetry);
    if (typeof told === 'string') {
      // One that failed is named already.
      if (told !== 'failed') notReplayed(new Error(`Its state is ${told}`), key, feed, telemetry);
      failedCount += 1;
    } else changes.push(told);
  }
  return { changes, failedCount };
}
