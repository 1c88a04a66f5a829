import { commitPage } from '../commit/commit-page.ts';
import { FeedError } from '../model/errors.ts';
import { newFeed } from '../model/feed.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { Paginator } from '../paging/paginator.ts';
import { readAhead } from '../paging/read-ahead.ts';
import type { RunContext, SuspendedPoll, SweepContext } from './run-context.ts';

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
  const { run, queue, pagesPerTurn, hasWaiting } = context;
  const { ports, paging, registry, scheduler, suspended, summary, polling } = run;
  const leaving = new AbortController();
  const signal = AbortSignal.any([polling, leaving.signal]);
  const mustAdvance = mayTakeRequests(resource, run);
  const limit = { pagesPerTurn, hasWaiting, mustAdvance, clock: ports.clock };
  const poll: SuspendedPoll = suspended.get(id) ?? {
    paginator: new Paginator(resource, registry.get(id), paging),
    isNew: true,
  };
  suspended.delete(id);
  const { paginator } = poll;
  const onDue = (ids: readonly string[]): void => {
    queue.addFirst(ids);
  };
  let hasProgress = false;
  try {
    for await (const feedPage of readAhead(paginator, signal, limit)) {
      const { page, requestedCursor } = feedPage;
      const feed = registry.get(id);
      const target = { feed, resource, page, requestedCursor, cause: 'poll', onDue } as const;
      await commitPage(feedPage, target, run, poll.isNew).finally(() => {
        feedPage.reservation.release();
      });
      poll.isNew = false;
      context.onPage();
      // News ends the failures of a feed.
      if (registry.get(id).failures === 0) paginator.noteNews();
      hasProgress = feedPage.hasAdvanced || feedPage.coveredLookbackMs !== undefined;
      if (feedPage.isLast) return;
      if (polling.aborted) {
        summary.stoppedEarly = true;
        return;
      }
    }
    if (mustAdvance && !hasProgress && scheduler.isShort) throw endlessTurnError(id);
    suspended.set(id, poll);
    queue.add([id]);
  } finally {
    leaving.abort(new Error(`${id} is no longer polled`));
  }
}

/**
 * Whether a turn goes on until the cursor advances. The list of projects is polled first in each run: where requests are
 * short, it would leave none to others if it always did.
 */
function mayTakeRequests(resource: Resource, { options, scheduler }: RunContext): boolean {
  const isFirst = resource === options.catalog.projects && scheduler.isShort;
  return !isFirst || options.random() <= 0.5;
}

/** A run that is short of requests would not come back to the list, and the next one would begin where this one has. */
function endlessTurnError(id: string): FeedError {
  return new FeedError(`${id}: the cursor cannot advance in a turn: requests are short`, {
    hint: 'Raise requestsPerMinute.',
  });
}

/** Whether the service shows the list of projects, if that is a list of another shard. Nothing is processed. */
export async function showsProjects(run: RunContext): Promise<boolean> {
  const { options, paging, registry, polling } = run;
  const { projects } = options.catalog;
  const feed = newFeed(projects, 'live');
  if (registry.has(feed.id)) return false;
  const smallest = { ...paging, options: { ...paging.options, perPage: 1 } };
  try {
    const page = await new Paginator(projects, feed, smallest).next(polling);
    page.reservation.release();
    return true;
  } catch {
    // The canaries fail by any other error, too, if it concerns the run.
    return false;
  }
}
