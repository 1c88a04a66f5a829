import type { ToEvent } from '../changes/detect-changes.ts';
import { makeEvent } from '../events/make-event.ts';
import { accountOf } from '../model/entity.ts';
import { isProjectsFeed } from '../model/feed.ts';
import { isoTime } from '../model/timestamp.ts';
import type { CommitTarget } from './commit-context.ts';

/** Makes the events of a feed's changes. */
export function eventMakerOf({ feed, resource: { omit = [] }, cause, run }: CommitTarget): ToEvent {
  const { ports, options } = run;
  const { projectId, accountId } = feed;
  const shared = { source: options.source, cause, now: isoTime(ports.clock.now()), omit };
  if (projectId !== undefined) {
    const context = { ...shared, projectId, ...(accountId && { accountId }) };
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
