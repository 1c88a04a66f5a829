import type { Job } from './job.ts';
import { isSelectedProject, type Catalog, type Resource } from './resource-catalog.ts';
import { DAY_MS, isAfter, type Timestamp } from './timestamp.ts';

/**
 * A feed's life: `baseline → live`. Its health is independent of that, see feeds/health.ts.
 *
 * - `baseline`: the first pass over the list. It saves states, and publishes only changes since its
 *   start.
 * - `live`: changes are published.
 */
export type Phase = 'baseline' | 'live';

/** The wait of a feed after failed polls. Times are milliseconds since 1970 by our clock. */
export interface FeedWait {
  /** No poll before. */
  readonly until: number;
  /** Failed polls in a row. */
  readonly failures: number;
  /** Why the last of them failed; cut. */
  readonly cause: string;
  /** When the first of them failed. */
  readonly since: number;
  /** Whether the service refused the list, instead of failing. */
  readonly isRefused?: true;
  /** Set if a page was too slow that was to pass a tie. */
  readonly slowTie?: SlowTie;
}

/** Where a page larger than the usual one was too slow, and the size to ask for there. */
export interface SlowTie {
  readonly at: Timestamp;
  readonly perPage: number;
}

/** One polled list and our position in it. Each feed is one item in the store. */
export interface Feed {
  /** The list's path without its first slash: `projects`, `projects/<project_id>/tasks`. */
  readonly id: string;
  /** Set for lists below a project. */
  readonly projectId?: string;
  /** The project's `account_id`, for the events of its lists; absent where unknown. */
  readonly accountId?: string;
  readonly phase: Phase;
  /** Set while the project is deleted: no poll before, in milliseconds since 1970. */
  readonly parked?: { readonly until: number };
  /** Set by an operator: the list is not polled, and keeps its cursor. */
  readonly paused?: true;
  /**
   * The watermark, where the next poll starts (spec, "Pagination rules"): all before it is
   * processed. Absent before the first page.
   */
  readonly cursor?: Timestamp;
  /**
   * Digest of the last page that was the whole list, valid and not empty. While the list shows the
   * same page, no state is loaded.
   */
  readonly digest?: string;
  /**
   * When the baseline began, by the service's clock: entities that changed later are published even
   * in the first pass. Absent before the first page: then no entity is published. Lists found by
   * the first pass over the projects share its time.
   */
  readonly baselineAt?: Timestamp;
  /** The operator's job for the list, or its result. */
  readonly job?: Job;
  /** Set since a poll failed, until one succeeds. */
  readonly wait?: FeedWait;
  /** Entities of a page, since larger ones were too slow or too large. */
  readonly pageSize?: number;
  /** A timestamp with more entities than the largest page holds: some may be unseen. */
  readonly saturatedAt?: Timestamp;
  /** The last change, in milliseconds since 1970 by our clock; absent before the first. */
  readonly lastChange?: number;
  /** Recent changes at that time; see {@link nextActivity}. */
  readonly recentChanges?: number;
  /** Counts the commits. A commit that started from another revision is refused. */
  readonly revision: number;
}

/** A feed that was never polled. */
export function newFeed(
  resource: Resource,
  phase: Phase,
  project?: { readonly id: string; readonly accountId?: string },
): Feed {
  return {
    id: feedPath(resource, project?.id).slice(1),
    ...(project && { projectId: project.id }),
    ...(project?.accountId !== undefined && { accountId: project.accountId }),
    phase,
    revision: 0,
  };
}

/** Whether an entity without a state is saved without an event. */
export function isSilent(
  { phase, baselineAt }: Pick<Feed, 'phase' | 'baselineAt'>,
  version: Timestamp,
): boolean {
  return phase === 'baseline' && (baselineAt === undefined || !isAfter(version, baselineAt));
}

/** Whether a feed is that of the list of projects, on which the lists of projects depend. */
export function isProjectsFeed({ id }: Pick<Feed, 'id'>): boolean {
  return id === 'projects';
}

/** When a feed may be polled again, in milliseconds since 1970; 0 for at once. */
export function dueAt({ parked, wait }: Pick<Feed, 'parked' | 'wait'>): number {
  return Math.max(parked?.until ?? 0, wait?.until ?? 0);
}

/** The key of all lists of a resource: a feed id without its project. */
export function resourceKeyOf(id: string): string {
  return id.replace(/^projects\/[^/]+/, '*');
}

/** Path of a resource's list below `{base_url}/api/v3`. */
export function feedPath(resource: Resource, projectId: string | undefined): string {
  return projectId === undefined
    ? resource.path
    : resource.path.replace('{project_id}', encodeURIComponent(projectId));
}

/** The resource of a feed; undefined if it is no longer configured, or not selected. */
export function resourceOf(catalog: Catalog, feed: Feed): Resource | undefined {
  const resource = configuredResource(catalog, feed);
  const { projectId } = feed;
  if (resource === undefined || projectId === undefined) return resource;
  const { selection } = catalog;
  const isSelected =
    isSelectedProject(selection, projectId) &&
    (selection.resources?.includes(resource.name) ?? true);
  return isSelected ? resource : undefined;
}

/**
 * The resource of a feed, selected or not; undefined if it is no longer configured. Compared by
 * path, not by name: in a list with another path the cursor means nothing.
 */
export function configuredResource(
  { projects, perAccount, perProject }: Catalog,
  { id, projectId }: Pick<Feed, 'id' | 'projectId'>,
): Resource | undefined {
  if (projectId === undefined) return [projects, ...perAccount].find((r) => r.path === `/${id}`);
  return perProject.find((resource) => feedPath(resource, projectId) === `/${id}`);
}

/** The number of table partitions of feeds. It must never change: stored items depend on it. */
export const FEED_PARTITIONS = 16;

/** The partitions that a shard owns. A change of the number of shards moves no feed. */
export function partitionsOf(shard: number, shardCount: number): readonly number[] {
  const all = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);
  return all.filter((partition) => partition % shardCount === shard);
}

/** The partition of a feed: a stable hash of its project id; 0 without a project. */
export function feedPartition({ projectId }: Pick<Feed, 'projectId'>): number {
  return projectId === undefined ? 0 : hashOf(projectId) % FEED_PARTITIONS;
}

/** A stable hash of an id (FNV-1a): 32 bits. The table's partitions of feeds depend on it. */
export function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Counted changes of one page: a bulk import says little about the future. */
const MAX_CHANGES_PER_PAGE = 50;

/** How often a feed changes. */
export type Activity = Pick<Feed, 'lastChange' | 'recentChanges'>;

/**
 * The fields that a page's changes update; none without changes, so an idle feed is not written.
 *
 * @param lastChangeAt the latest of the changes, in milliseconds since 1970 by our clock.
 */
export function nextActivity(
  activity: Activity,
  changeCount: number,
  lastChangeAt: number,
): Activity {
  if (changeCount === 0) return {};
  const lastChange = Math.max(activity.lastChange ?? 0, Math.round(lastChangeAt / 1000) * 1000);
  const recent = recentChanges(activity, lastChange) + Math.min(changeCount, MAX_CHANGES_PER_PAGE);
  // Three digits are enough: every byte of a feed is loaded on every tick.
  return { lastChange, recentChanges: Number(recent.toPrecision(3)) };
}

/** Number of recent changes; those of a day ago count 1/e. */
export function recentChanges(
  { lastChange, recentChanges: recent }: Activity,
  now: number,
): number {
  if (lastChange === undefined || recent === undefined) return 0;
  return recent * Math.exp(-Math.max(0, now - lastChange) / DAY_MS);
}

/** Number of changes found between two states of a feed. */
export function changesBetween(before: Activity, after: Activity): number {
  const { lastChange } = after;
  if (lastChange === undefined) return 0;
  const found = recentChanges(after, lastChange) - recentChanges(before, lastChange);
  return Math.max(0, Math.round(found));
}
