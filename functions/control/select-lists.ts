import type { ListStatus, StatusRequest } from './protocol.ts';

/** Bytes of the lists in an answer. Lambda answers with at most 6 MB. */
const MAX_BYTES = 5_000_000;

/** The lists that a request asks for: the worst first, at equal ranks by name. */
export function selectLists(
  lists: readonly ListStatus[],
  { state }: Pick<StatusRequest, 'state'>,
): ListStatus[] {
  const selected = lists.filter((list) => state === undefined || list.state === state);
  return selected.toSorted(
    (a, b) => byEnd(a, b) || byFailures(a, b) || byLag(a, b) || (a.list < b.list ? -1 : 1),
  );
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

function byFailures(a: ListStatus, b: ListStatus): number {
  return (b.failures ?? 0) - (a.failures ?? 0);
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
  if (state === 'paused' || state === 'not-polled') return -1;
  return lagSeconds ?? (state === 'parked' ? -1 : Infinity);
}
