import type { PageChanges } from '../../changes/page/page-changes.ts';
import type { Action } from '../../model/change.ts';
import type { Page } from '../../ports/service-api.ts';
import { detectPageChanges, type Telling } from '../commit/commit-page.ts';
import { publishAndSave } from '../commit/publish-and-save.ts';
import type { ReconcileContext, ReconciledList } from './reconcile-context.ts';

const TELLING: Telling = { cause: 'reconcile', comparesAllLists: true };

/** What was shown of a list. */
export interface Shown {
  readonly page: Page;
  readonly requestedCursor?: string | undefined;
}

/** Tells what a page shows and polling has missed. Nothing is passed over, and the feed stays as it is. */
export async function healPage(
  shown: Shown,
  list: ReconciledList,
  context: ReconcileContext,
): Promise<void> {
  const { boundary: _, ...feed } = list.feed;
  const page = { ...shown, isCaughtUp: false, cursor: undefined };
  const parts = detectPageChanges(page, feed, list.resource, context.run, TELLING);
  for await (const changes of parts) await heal(changes, shown, list, context);
}

/** Publishes and saves changes, and counts the events that the topic accepts. */
export async function heal(
  changes: PageChanges,
  shown: Shown,
  { feed, resource }: ReconciledList,
  { run, counts }: ReconcileContext,
): Promise<void> {
  const before = { ...run.summary.events };
  try {
    // Lists that a project brings or wakes are polled by the next run.
    const onDue = (): void => undefined;
    await publishAndSave(changes, { feed, resource, ...shown, onDue }, run);
  } finally {
    for (const [action, count] of Object.entries(run.summary.events) as [Action, number][])
      counts[action] += count - before[action];
  }
}
