import type { ToEvent } from '../../changes/tell.ts';
import { makeEvent, type EventContext } from '../../events/make-event.ts';
import { isProjectsFeed, type Feed } from '../../model/feed.ts';
import { accountOf } from '../../model/project-state.ts';
import { isoTime } from '../../model/timestamp.ts';
import type { RunContext } from '../run-context.ts';

/** Makes the events of a feed's changes. */
export function eventMakerOf(
  feed: Feed,
  cause: EventContext['cause'],
  { ports, options }: RunContext,
): ToEvent {
  const { projectId, accountId } = feed;
  const now = isoTime(ports.clock.now());
  const shared = { source: options.source, cause, now };
  if (projectId !== undefined) {
    const context = { ...shared, projectId, ...(accountId !== undefined && { accountId }) };
    return (change) => makeEvent(change, context);
  }
  const isOfProjects = isProjectsFeed(feed);
  return (change) =>
    makeEvent(change, {
      ...shared,
      ...(isOfProjects && { projectId: change.id }),
      ...accountOf(change.object),
    });
}
