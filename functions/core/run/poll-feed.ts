import { readAhead } from '../paging/read-ahead.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { Walk } from '../paging/paginator.ts';
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
  const walk = context.paused.get(id) ?? new Walk(resource, context.book.get(id), context);
  context.paused.delete(id);
  try {
    for await (const walked of readAhead(walk, signal, context)) {
      await commitPage(id, walked, resource, context).finally(() => {
        walked.room.release();
      });
      if (walked.isLast) return;
      if (context.signal.aborted) {
        context.tally.stoppedEarly = true;
        return;
      }
    }
    context.paused.set(id, walk);
    context.pollToo([id]);
  } finally {
    leaving.abort(new Error(`${id} is no longer polled`));
  }
}
