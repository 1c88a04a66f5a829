import type { ListStatus, StatusAnswer } from '../../../../functions/control/protocol.ts';
import { LIST_GROUPS, type ListGroup, type ListsView, type ListView } from '../protocol.ts';

/** An account may have thousands of lists. Those that need a look come first. */
const MAX_LISTS = 100;

/** The lists that a tab shows, and the counts of all. */
export function toListsView(status: StatusAnswer): ListsView {
  const { outageSince, commands } = status;
  const lists = status.lists.map((list): ListView => {
    return { ...list, group: groupOf(list, outageSince !== undefined) };
  });
  const counts: Partial<Record<ListGroup, number>> = {};
  for (const { group } of lists) counts[group] = (counts[group] ?? 0) + 1;
  return { lists: lists.toSorted(byRank).slice(0, MAX_LISTS), counts, commands };
}

/** Where a list stands, in one word. It is in one group only, so that the counts add up. */
function groupOf({ state, failures }: ListStatus, isOutage: boolean): ListGroup {
  if (state !== 'live' && state !== 'baseline') return state;
  if (failures !== undefined) return 'failing';
  return isOutage ? 'waiting' : state;
}

function byRank(a: ListView, b: ListView): number {
  const rank = LIST_GROUPS.indexOf(a.group) - LIST_GROUPS.indexOf(b.group);
  if (rank !== 0) return rank;
  return a.list < b.list ? -1 : 1;
}
