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
 * @returns the number of lists for which `force` is needed; other than 0 with `dryRun` only.
 * @throws RequestRefusedError unless the request says `force`.
 */
export function refusePolledProject(
  { scope, force, dryRun }: ForgetRequest,
  feeds: readonly Feed[],
  catalog: Catalog,
): number {
  if (force === true) return 0;
  const polled = feeds.filter((feed) =>
    ['live', 'baseline', 'paused'].includes(stateOf(feed, catalog)),
  );
  if (polled.length === 0 || dryRun === true) return polled.length;
  throw new RequestRefusedError(
    `The project "${scope.projectId}" is still polled: ${polled.length} of its lists ${polled.length === 1 ? 'is' : 'are'} live or paused.`,
    {
      hint: 'With its next change it would be told as new, with all its content. Give --force if that is wanted.',
    },
  );
}
