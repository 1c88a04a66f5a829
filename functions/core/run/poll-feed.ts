import { commitPage } from '../commit/commit-page.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { Paginator } from '../paging/paginator.ts';
import { readAhead } from '../paging/read-ahead.ts';
import type { SuspendedPoll, SweepContext } from './run-context.ts';

/**
 * Polls one feed until its list ends, its turn is over, or the run must stop. The next page is fetched while
 * one is committed.
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
  const poll: SuspendedPoll = suspended.get(id) ?? {
    paginator: new Paginator(resource, registry.get(id), paging),
    isNew: true,
  };
  suspended.delete(id);
  const { paginator } = poll;
  const onDue = context.addDue;
  try {
    for await (const feedPage of readAhead(paginator, signal, limit)) {
      health.noteRead(id);
      const { page, requestedCursor } = feedPage;
      const feed = registry.get(id);
      const target = { feed, resource, page, requestedCursor, cause: 'poll', onDue } as const;
      await commitPage(feedPage, target, run, poll.isNew).finally(() => {
        feedPage.reservation.release();
      });
      poll.isNew = false;
      // News ends the failures of a feed.
      if (registry.get(id).wait === undefined) paginator.noteNews();
      if (feedPage.isLast) return;
      if (polling.aborted) {
        summary.stoppedEarly = true;
        return;
      }
    }
    suspended.set(id, poll);
    queue.add([id]);
  } finally {
    leaving.abort(new Error(`${id} is no longer polled`));
  }
}
