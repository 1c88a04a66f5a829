import { feedPartition, isProjectsFeed, type Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { Telemetry } from '../ports/telemetry.ts';

/**
 * Entries of the config field `projects` that select no project, or only deleted ones. None before
 * the list of projects was read to its end.
 *
 * @param feeds those of the partitions. An id is judged with the partition of its project.
 */
export function unmatchedProjects(
  feeds: readonly Feed[],
  { selection: { projects: entries = [] } }: Pick<Catalog, 'selection'>,
  partitions: readonly number[],
): readonly string[] {
  const list = feeds.find(isProjectsFeed);
  const isRead = list === undefined ? feeds.length > 0 : list.phase === 'live' && list.cursor;
  if (!isRead) return [];
  const live = feeds.filter(({ parked }) => parked === undefined);
  const ids = new Set(live.map(({ projectId }) => projectId?.toLowerCase()));
  const isJudged = (projectId: string): boolean =>
    partitions.includes(feedPartition({ projectId }));
  return entries.filter((id) => isJudged(id) && !ids.has(id));
}

/** The entries that each process has warned of. */
const warned = new WeakMap<Telemetry, string>();

/** Warns of unmatched entries once in each process, and again when they are others. */
export function warnOfUnmatched(entries: readonly string[], telemetry: Telemetry): void {
  const text = JSON.stringify(entries);
  const isNews = entries.length > 0 && warned.get(telemetry) !== text;
  warned.set(telemetry, text);
  if (!isNews) return;
  telemetry.warn('Entries of projects in the config select no project: check them', {
    projects: entries,
  });
}
