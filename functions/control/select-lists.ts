import type { ListOrder, ListStatus, StatusRequest } from './protocol.ts';

/** Bytes of the lists in an answer. Lambda answers with at most 6 MB. */
const MAX_BYTES = 5_000_000;

const byName = (a: ListStatus, b: ListStatus): number => compareTexts(a.list, b.list);

const ORDERS: Readonly<Record<ListOrder, (a: ListStatus, b: ListStatus) => number>> = {
  failures: (a, b) => byEnd(a, b) || (b.failures ?? 0) - (a.failures ?? 0) || byLag(a, b),
  lag: (a, b) => byEnd(a, b) || byLag(a, b),
  'last-change': (a, b) => compareTexts(b.lastChangeAt ?? '', a.lastChangeAt ?? ''),
  name: byName,
};

/** The lists in an order; at equal ranks by name. */
export function sortLists(lists: readonly ListStatus[], order: ListOrder): ListStatus[] {
  return lists.toSorted((a, b) => ORDERS[order](a, b) || byName(a, b));
}

/** The lists that a request asks for, in their order. */
export function selectLists(
  lists: readonly ListStatus[],
  { state, sort = 'name', after }: StatusRequest,
): ListStatus[] {
  const selected = lists
    .filter((list) => state === undefined || list.state === state)
    .filter(({ list }) => after === undefined || list > after);
  return sortLists(selected, sort);
}

/** The first lists, as many as fit an answer. */
export function untilFull(lists: readonly ListStatus[], limit = Infinity): ListStatus[] {
  const fitting: ListStatus[] = [];
  let bytes = 0;
  for (const list of lists.slice(0, limit)) {
    bytes += Buffer.byteLength(JSON.stringify(list)) + 1;
    if (bytes > MAX_BYTES) break;
    fitting.push(list);
  }
  return fitting;
}

/** Lists of deleted projects come last: nobody waits for them. */
function byEnd(a: ListStatus, b: ListStatus): number {
  return Number(a.state === 'parked') - Number(b.state === 'parked');
}

/**
 * The largest first. One that should be polled and never was comes before all, one that is not to
 * be polled after all.
 */
function byLag(a: ListStatus, b: ListStatus): number {
  const [first, second] = [lagOf(a), lagOf(b)];
  return first === second ? 0 : second - first;
}

function lagOf({ lagSeconds, state }: ListStatus): number {
  if (state === 'paused' || state === 'not polled') return -1;
  return lagSeconds ?? (state === 'parked' ? -1 : Infinity);
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
