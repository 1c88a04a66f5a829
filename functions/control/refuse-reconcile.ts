import { isPolled, type Feed } from '../core/model/feed.ts';
import type { Catalog } from '../core/model/resource-catalog.ts';
import { RequestRefusedError } from './control-error.ts';

/** Names that a message lists. */
const MAX_NAMES = 3;

/**
 * Refuses a reconciliation that would judge what is not known yet.
 *
 * @param inScope the lists that it would concern.
 * @throws RequestRefusedError when a list is in its baseline.
 */
export function refuseReconcile(inScope: readonly Feed[], catalog: Catalog): void {
  const isInBaseline = (feed: Feed): boolean =>
    feed.phase === 'baseline' && feed.parked === undefined && isPolled(catalog, feed);
  const names = inScope.filter(isInBaseline).map(({ id }) => id);
  if (names.length === 0) return;
  const examples = names.slice(0, MAX_NAMES).join(', ');
  throw new RequestRefusedError(
    `${names.length} ${names.length === 1 ? 'list is' : 'lists are'} in the baseline, for example ${examples}.`,
    { hint: 'Reconcile once they are live: sitecast status --state baseline lists them.' },
  );
}
