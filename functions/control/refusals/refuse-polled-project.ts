import type { Feed } from '../../core/model/feed.ts';
import type { Catalog } from '../../core/model/resource-catalog.ts';
import { RequestRefusedError } from '../control-error.ts';
import type { ChangeRequest } from '../protocol.ts';
import { stateOf } from '../report-status.ts';

type ForgetRequest = Extract<ChangeRequest, { readonly command: 'forget' }>;

/**
 * Refuses to forget a project of which a list is polled, or only paused: the service still shows the project, and
 * all of it would be told as new.
 *
 * @param feeds those of the project.
 * @throws RequestRefusedError unless the request says `force`.
 */
export function refusePolledProject(
  { scope, force, dryRun }: ForgetRequest,
  feeds: readonly Feed[],
  catalog: Catalog,
): void {
  const polled = feeds.filter((feed) =>
    ['live', 'baseline', 'paused'].includes(stateOf(feed, catalog)),
  );
  const [first] = polled;
  if (first === undefined || force === true || dryRun === true) return;
  throw new RequestRefusedError(
    `The project "${scope.projectId}" is still polled: ${polled.length} of its lists ${polled.length === 1 ? 'is' : 'are'} live or paused.`,
    {
      hint: 'With its next change it would be told as new, with all its content. Give --force if that is wanted.',
    },
  );
}
