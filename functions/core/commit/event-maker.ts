import type { ToEvent } from '../changes/detect-changes.ts';
import { makeEvent } from '../events/make-event.ts';
import type { Change } from '../model/change.ts';
import { accountOf } from '../model/entity.ts';
import { configuredResource, isProjectsFeed } from '../model/feed.ts';
import { withoutFields } from '../model/omit-fields.ts';
import { isoTime } from '../model/timestamp.ts';
import type { CommitTarget } from './commit-context.ts';

/** Makes the events of a feed's changes. */
export function eventMakerOf({
  feed,
  cause,
  run,
}: Pick<CommitTarget, 'feed' | 'cause' | 'run'>): ToEvent {
  const { ports, options } = run;
  const { projectId, accountId } = feed;
  const { omit = [] } = configuredResource(options.catalog, feed) ?? {};
  const now = isoTime(ports.clock.now());
  const shared = { source: options.source, cause, now };
  if (projectId !== undefined) {
    const context = { ...shared, projectId, ...(accountId !== undefined && { accountId }) };
    return (change) => makeEvent(withoutOmitted(change, omit), context);
  }
  const isOfProjects = isProjectsFeed(feed);
  return (change) =>
    makeEvent(withoutOmitted(change, omit), {
      ...shared,
      ...(isOfProjects && { projectId: change.id }),
      ...accountOf(change.object),
    });
}

/** States that were saved before config omitted a field still have it. */
function withoutOmitted(change: Change, omit: readonly string[]): Change {
  if (omit.length === 0) return change;
  const { object, changed, previous } = change;
  return {
    ...change,
    object: withoutFields(object, omit),
    changed: changed.filter((field) => !omit.includes(field)),
    ...(previous && { previous: withoutFields(previous, omit) }),
  };
}
