import { commitPage } from '../commit/commit-page.ts';
import { readAhead } from '../lists/read-ahead.ts';
import { FeedReader } from '../lists/read-feed.ts';
import type { Resource } from '../model/resource-catalog.ts';
import type { SweepContext } from './run-context.ts';

/**
 * Polls one feed until its list ends, its turn is over, or the run must stop. The next page is
 * fetched while one is committed.
 *
 * @throws the error that kept a page from being committed; the pages before it are committed.
 */
export async function pollFeed(
  id: string,
  resource: Resource,
  context: SweepContext,
): Promise<void> {
  const { run, queue, pagesPerTurn, suspended } = context;
  const { ports, paging, registry, health, summary, polling } = run;
  const leaving = new AbortController();
  const signal = AbortSignal.any([polling, leaving.signal]);
  const limit = { pagesPerTurn, hasWaiting: () => queue.hasWaiting, clock: ports.clock };
  const reader = suspended.get(id) ?? new FeedReader(resource, registry.get(id), paging);
  suspended.delete(id);
  const onDue = context.addDue;
  try {
    for await (const feedPage of readAhead(reader, signal, limit)) {
      health.noteRead(id);
      const { beganAt } = feedPage;
      const feed = registry.get(id);
      await commitPage(feedPage, { run, feed, resource, beganAt, cause: 'poll', onDue });
      if (feedPage.isLast) return;
      if (polling.aborted) {
        summary.stoppedEarly = true;
        return;
      }
    }
    suspended.set(id, reader);
    queue.add([id]);
  } finally {
    leaving.abort(new Error(`${id} is no longer polled`));
  }
}
