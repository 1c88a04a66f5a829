import type { PlacedCommand } from '../core/model/command.ts';
import { isPolled, type Feed } from '../core/model/feed.ts';
import type { Catalog } from '../core/model/resource-catalog.ts';
import { RequestRefusedError } from './control-error.ts';
import { placedAt } from './place-command.ts';

/** Names that a message lists. */
const MAX_NAMES = 3;

/**
 * Refuses a reconciliation while it would do harm, or judge what is not known yet.
 *
 * @param inScope the lists that it would concern.
 * @throws RequestRefusedError when another one is under way, or a list is in its baseline.
 */
export function refuseReconcile(
  placed: readonly PlacedCommand[],
  inScope: readonly Feed[],
  catalog: Catalog,
): void {
  const other = placed.find(({ command }) => command.name === 'reconcile');
  if (other !== undefined) {
    throw new RequestRefusedError(
      `A reconciliation is under way since ${placedAt(other.command.id)}.`,
      { hint: 'Wait until it is done: sitecast status shows how far it is.' },
    );
  }
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
