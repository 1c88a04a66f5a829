import type { CommitTarget } from '../commit/commit-context.ts';
import type { EntityKey } from '../model/entity-state.ts';
import type { Feed } from '../model/feed.ts';
import type { Job } from '../model/job.ts';
import type { Resource } from '../model/resource-catalog.ts';
import type { Timestamp } from '../model/timestamp.ts';

/** A list that is reconciled. */
export interface ReconciledList {
  readonly feed: Feed & { readonly job: Job };
  readonly resource: Resource;
}

/** A list as it was read whole. */
export interface WholeList {
  readonly shown: ReadonlySet<EntityKey>;
  /** An entity that the list shows, and not as deleted, if there is one. */
  readonly validId: string | undefined;
  /** See {@link FeedPage.beganAt}. */
  readonly beganAt: Timestamp;
  readonly cursor: Timestamp | undefined;
  readonly isSaturated: boolean;
}

/**
 * Where what a list shows is committed. Lists that a project brings or wakes are polled by the next run.
 *
 * @param beganAt when the reading of the list began.
 */
export function targetOf({ feed, resource }: ReconciledList, beganAt: Timestamp): CommitTarget {
  return { feed, resource, beganAt, cause: 'reconcile', onDue: () => undefined };
}
