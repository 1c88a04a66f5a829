import { readAhead } from '../paging/read-ahead.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { Paginator } from '../paging/paginator.ts';
import { type PollContext } from './poll-context.ts';
import { commitPage } from './commit-page.ts';

/**
 * Polls one feed: to the end of its list, until its turn is over, or until the run has to stop. Per
 * page: read known → diff → publish → save known → follow projects → advance cursor. The next page is
 * fetched meanwhile.
 *
 * @throws whatever kept a page from being committed; the pages before it are.
 */
export async function pollFeed(
  id: string,
  resource: Resource,
  context: PollContext,
): Promise<void> {
  const leaving = new AbortController();
  const signal = AbortSignal.any([context.signal, leaving.signal]);
  const paginator =
    context.suspended.get(id) ?? new Paginator(resource, context.registry.get(id), context);
  context.suspended.delete(id);
  try {
    for await (const feedPage of readAhead(paginator, signal, context)) {
      await commitPage(id, feedPage, resource, context).finally(() => {
        feedPage.reservation.release();
      });
      if (feedPage.isLast) return;
      if (context.signal.aborted) {
        context.summary.stoppedEarly = true;
        return;
      }
    }
    context.suspended.set(id, paginator);
    context.enqueue([id]);
  } finally {
    leaving.abort(new Error(`${id} is no longer polled`));
  }
}
