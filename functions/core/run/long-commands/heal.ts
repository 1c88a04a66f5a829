import type { Identity } from '../../changes/observe.ts';
import type { CommitTarget } from '../../commit/commit-context.ts';
import { commitDeletes, commitEntities } from '../../commit/commit-entities.ts';
import type { Action } from '../../model/change.ts';
import type { Timestamp } from '../../model/timestamp.ts';
import type { Page } from '../../ports/service-api.ts';
import type { ReconcileContext, ReconciledList } from './reconcile-context.ts';

/** What was shown of a list. */
export interface Shown {
  readonly page: Page;
  /** When it began to be read. */
  readonly beganAt: Timestamp;
}

/** Publishes what a page shows and polling has missed. The feed stays as it is. */
export function healPage(
  { page, beganAt }: Shown,
  list: ReconciledList,
  context: ReconcileContext,
): Promise<void> {
  const target = targetOf(list, beganAt);
  return counting(context, async () => {
    await commitEntities(page, target, context.run, true);
  });
}

/**
 * Publishes the deletes of entities that the service does not know any more.
 *
 * @param beganAt when their list began to be read.
 */
export function healDeletes(
  gone: readonly Identity[],
  beganAt: Timestamp,
  list: ReconciledList,
  context: ReconcileContext,
): Promise<void> {
  return counting(context, () => commitDeletes(gone, targetOf(list, beganAt), context.run));
}

function targetOf({ feed, resource }: ReconciledList, beganAt: Timestamp): CommitTarget {
  // Lists that a project brings or wakes are polled by the next run.
  const onDue = (): void => undefined;
  return { feed, resource, beganAt, cause: 'reconcile', onDue };
}

/** Counts the events that the topic accepts. */
async function counting(
  { run, counts }: ReconcileContext,
  commit: () => Promise<void>,
): Promise<void> {
  const before = { ...run.summary.events };
  try {
    await commit();
  } finally {
    for (const [action, count] of Object.entries(run.summary.events) as [Action, number][])
      counts[action] += count - before[action];
  }
}
