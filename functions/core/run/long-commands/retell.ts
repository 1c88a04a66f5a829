import type { ToldChange } from '../../changes/tell.ts';
import type { LongCommand, Progress } from '../../model/command.ts';
import { configuredResource, feedPartition, type Feed } from '../../model/feed.ts';
import type { Resource } from '../../model/resource-catalog.ts';
import { eventMakerOf } from '../commit/event-maker.ts';
import { quarantineEvents } from '../commit/quarantine-items.ts';
import type { RunContext } from '../run-context.ts';
import { replayState } from './replay-state.ts';
import type { Step } from './step.ts';

type Retell = Extract<LongCommand, { readonly name: 'retell' }>;

/**
 * Tells events again that the topic refused, from the states of their entities. One that the topic refuses again comes
 * back to the quarantine; one that a later event has replaced is not told,
 * nor one that cannot be made: it is counted, and the log names it.
 */
export const retellStep: Step<Retell> = async ({ partition, command }, { run }) => {
  const counts = { events: 0, outdated: 0, failed: 0 };
  for (const feed of run.registry.all()) {
    const refused = command.lists[feed.id];
    const resource = configuredResource(run.options.catalog, feed);
    const isConcerned = feedPartition(feed) === partition && refused !== undefined;
    if (!isConcerned || resource === undefined) continue;
    const { changes, failedCount } = await changesOf(refused, feed, resource, run);
    counts.events += changes.length;
    counts.failed += failedCount;
    counts.outdated += refused.length - changes.length - failedCount;
    const events = changes.map(({ event }) => event);
    const again = events.length > 0 ? await run.ports.topic.publish(events) : [];
    run.ports.telemetry.count('EventsPublished', events.length - again.length);
    await quarantineEvents(again, { feed }, run);
  }
  const progress: Progress = { feedId: '', counts };
  return { progress, isDone: true };
};

async function changesOf(
  refused: Retell['lists'][string],
  feed: Feed,
  resource: Resource,
  run: RunContext,
): Promise<{ readonly changes: readonly ToldChange[]; readonly failedCount: number }> {
  const toEvent = eventMakerOf(feed, 'replay', run);
  const keys = refused.map(({ key }) => key);
  const states = await run.ports.store.loadStates(feed.id, keys);
  const changes: ToldChange[] = [];
  let failedCount = 0;
  for (const { key, sequence } of refused) {
    const state = states.get(key);
    if (state?.sequence !== sequence || state.pendingEvent !== undefined) continue;
    const told = replayState(state, feed, resource, toEvent, run.ports.telemetry);
    if (typeof told !== 'string') changes.push(told);
    else if (told === 'failed') failedCount += 1;
  }
  return { changes, failedCount };
}
