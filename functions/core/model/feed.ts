import { type Timestamp } from './timestamp.ts';
import { type Resource, type Catalog } from './resource-catalog.ts';

/**
 * A feed's life: `baseline → live → parked → live`.
 *
 * - `baseline`: the first pass; what is found is learned without raising events.
 * - `live`: changes raise events.
 * - `parked`: the project is deleted, or the service refuses the list (403, 404). A refused list is
 *   asked again rarely; both return to the phase they came from.
 */
export type Phase = 'baseline' | 'live';

/** Why a feed is parked. */
export type ParkedBecause = 'project-deleted' | 'refused';

/** One list endpoint that is polled, and where we stand in it. Stored, one item a feed. */
export interface Feed {
  /** The list's path without the leading slash: `projects`, `projects/<project_id>/floorplans`. */
  readonly id: string;
  /** Set for lists below a project. */
  readonly projectId?: string;
  /** The project's `account_id`, for the events of its lists; absent where unknown. */
  readonly accountId?: string;
  readonly phase: Phase;
  /** Set while the feed is parked; `phase` is then what it returns to. */
  readonly parked?: ParkedBecause;
  /**
   * How far the list is worked and final: the `last_synced_at` of the next walk (spec, "Pagination
   * rules"). Behind the latest entity as long as others may appear late. Absent before the first
   * page. Never goes back.
   */
  readonly cursor?: Timestamp;
  /**
   * How late an entity may appear at the most for the cursor to be final, in milliseconds: the
   * overlap with which it was committed. Absent: not at all.
   */
  readonly lookbackMs?: number;
  /**
   * Digest of what a settled list shows at its cursor, so that a service whose lists start with what
   * changed exactly at `last_synced_at` costs no look into the store when nothing is new.
   */
  readonly boundary?: string;
  /**
   * Of the projects feed: paths of the lists that are polled for every project. A list that config
   * adds later is recognised by not being here.
   */
  readonly knownPaths?: readonly string[];
  /** Failed polls in a row. */
  readonly failures: number;
  /** Not polled before this time, in milliseconds since 1970 by our clock. 0: any time. */
  readonly notBefore: number;
  /** When it last changed, in milliseconds since 1970 by our clock; absent while nothing was seen to. */
  readonly lastChange?: number;
  /** How many changes it had had lately then, older ones counting less; see {@link nextActivity}. */
  readonly recentChanges?: number;
  /** Counts the commits; a commit is refused when it started from another revision. */
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
    failures: 0,
    notBefore: 0,
    revision: 0,
  };
}

/** Path of a resource's list below `{base_url}/api/v3`. */
export function feedPath(resource: Resource, projectId: string | undefined): string {
  return projectId === undefined
    ? resource.path
    : resource.path.replace('{project_id}', encodeURIComponent(projectId));
}

/**
 * The catalog entry whose list the feed is; undefined when config no longer knows it. The path
 * decides, not the name: under another path lies another list, where the cursor means nothing.
 */
export function resourceOf(catalog: Catalog, feed: Feed): Resource | undefined {
  return [catalog.projects, ...catalog.perProject].find(
    (resource) => feedPath(resource, feed.projectId) === `/${feed.id}`,
  );
}

/** The number of table partitions that feeds are spread over. Fixed for ever: items lie in them. */
export const FEED_PARTITIONS = 16;

/**
 * The partition of a feed: a stable hash (FNV-1a, 32 bit) of its project id, so that all lists of a
 * project lie together and a shard owns a range of partitions.
 */
export function feedPartition(feed: Pick<Feed, 'projectId'>): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(feed.projectId ?? '')) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash % FEED_PARTITIONS;
}
