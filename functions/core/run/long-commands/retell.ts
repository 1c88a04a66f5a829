import type { ToldChange } from '../../changes/tell.ts';
import type { LongCommand, Progress } from '../../model/command.ts';
import { feedPartition, resourceOf, type Feed } from '../../model/feed.ts';
import type { Resource } from '../../model/resource-catalog.ts';
import { eventMakerOf } from '../commit/event-maker.ts';
import { quarantineEvents } from '../commit/quarantine-items.ts';
import type { RunContext } from '../run-context.ts';
import { replayState } from './replay-state.ts';
import type { Step } from './step.ts';

type Retell = Extract<LongCommand, { readonly name: 'retell' }>;

/**
 * Tells events again that the topic refused, from the states of their entities. One that the topic refuses again comes
 * back to the quarantine; one that a later event has replaced is not told.
 */
export const retellStep: Step<Retell> = async ({ partition, command }, { run }) => {
  const counts = { events: 0, outdated: 0 };
  for (const feed of run.registry.all()) {
    const refused = command.lists[feed.id];
    const resource = resourceOf(run.options.catalog, feed);
    const isConcerned = feedPartition(feed) === partition && refused !== undefined;
    if (!isConcerned || resource === undefined) continue;
    const changes = await changesOf(refused, feed, resource, run);
    counts.events += changes.length;
    counts.outdated += refused.length - changes.length;
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
): Promise<readonly ToldChange[]> {
  const toEvent = eventMakerOf(feed, 'replay', run);
  const keys = refused.map(({ key }) => key);
  const states = await run.ports.store.loadStates(feed.id, keys);
  return refused.flatMap(({ key, sequence }) => {
    const state = states.get(key);
    if (state?.sequence !== sequence || state.pendingEvent !== undefined) return [];
    const told = replayState(state, feed, resource, toEvent);
    return typeof told === 'string' ? [] : told;
  });
}
