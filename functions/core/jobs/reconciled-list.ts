import { observePage } from '../changes/observe.ts';
import type { CommitTarget } from '../commit/commit-context.ts';
import { commitEntities } from '../commit/commit-entities.ts';
import type { EntityKey } from '../model/entity-state.ts';
import type { Feed } from '../model/feed.ts';
import type { Job } from '../model/job.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { isoTime, type Timestamp } from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import type { RunContext } from '../run/run-context.ts';

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
 * Where what a list shows is committed. Lists that a project brings or wakes are polled by the next
 * run.
 *
 * @param beganAt when the reading of the list began.
 */
export function targetOf(
  { feed, resource }: ReconciledList,
  beganAt: Timestamp,
  run: RunContext,
): CommitTarget {
  return { run, feed, resource, beganAt, cause: 'reconcile' };
}

/** Commits what the service shows, with each parent that is not older as if it were newer. */
export async function commitShown(
  page: Pick<Page, 'entities' | 'invalid'>,
  list: ReconciledList,
  beganAt: Timestamp,
  run: RunContext,
): Promise<void> {
  const { feed, resource } = list;
  const restoredAt = isoTime(run.ports.clock.now());
  const place = { entity: resource.entity, path: `/${feed.id}`, restoredAt };
  await commitEntities(observePage(page, place, resource), targetOf(list, beganAt, run));
}
