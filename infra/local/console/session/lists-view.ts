import type {
  ListState,
  ListStatus,
  StatusAnswer,
} from '../../../../functions/control/protocol.ts';
import { LIST_STATES, type ListsView } from '../protocol.ts';

/** An account may have thousands of lists. Those that need a look come first. */
const MAX_LISTS = 100;

/** The lists that a tab shows, and the counts of all. */
export function toListsView({ lists, jobs: all }: StatusAnswer): ListsView {
  const jobs = all.filter(({ waiting }) => waiting > 0);
  const counts: Partial<Record<ListState, number>> = {};
  for (const { state } of lists) counts[state] = (counts[state] ?? 0) + 1;
  return { lists: lists.toSorted(byRank).slice(0, MAX_LISTS), counts, jobs };
}

function byRank(a: ListStatus, b: ListStatus): number {
  const rank = LIST_STATES.indexOf(a.state) - LIST_STATES.indexOf(b.state);
  if (rank !== 0) return rank;
  return a.list < b.list ? -1 : 1;
}
