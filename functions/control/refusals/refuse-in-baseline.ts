import { isPolled, type Feed } from '../../core/model/feed.ts';
import type { Catalog } from '../../core/model/resource-catalog.ts';
import { RequestRefusedError } from '../control-error.ts';

/** Names that a message lists. */
const MAX_NAMES = 3;

/**
 * Refuses to judge lists of which not all is known yet.
 *
 * @param feeds those in the scope.
 * @throws RequestRefusedError when a list that is polled is in its baseline.
 */
export function refuseInBaseline(feeds: readonly Feed[], catalog: Catalog): void {
  const isInBaseline = (feed: Feed): boolean =>
    feed.phase === 'baseline' && feed.parked === undefined && isPolled(catalog, feed);
  const names = feeds.filter(isInBaseline).map(({ id }) => id);
  if (names.length === 0) return;
  const examples = names.slice(0, MAX_NAMES).join(', ');
  throw new RequestRefusedError(
    `${names.length} ${names.length === 1 ? 'list is' : 'lists are'} in the baseline, for example ${examples}.`,
    { hint: 'Ask again once they are live: sitecast status --state baseline lists them.' },
  );
}
