import { isProjectsFeed, type Feed } from '../core/model/feed.ts';
import type { Catalog } from '../core/model/resource-catalog.ts';

/**
 * Entries of the config field `projects` that select no project, or only deleted ones. None before
 * the list of projects was read to its end.
 */
export function unmatchedProjects(
  feeds: readonly Feed[],
  { selection: { projects: entries = [] } }: Pick<Catalog, 'selection'>,
): readonly string[] {
  const list = feeds.find(isProjectsFeed);
  if (list?.phase !== 'live' || list.cursor === undefined) return [];
  const live = feeds.filter(({ parked }) => parked === undefined);
  const ids = new Set(live.map(({ projectId }) => projectId?.toLowerCase()));
  return entries.filter((id) => !ids.has(id));
}
