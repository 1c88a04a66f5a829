import type { EntityKey } from '../../model/entity-state.ts';
import { isAfter, laterOf } from '../../model/timestamp.ts';
import { MissingEntities } from './ask-missing.ts';
import { isInWindow, readWindow, type ReadWindow } from './read-window.ts';
import {
  NoVerdictError,
  TooMuchMissingError,
  type ListPosition,
  type ReconcileContext,
  type ReconciledList,
} from './reconcile-context.ts';

/** Missing entities that are remembered at once; the others follow when these are done. */
const MAX_MISSING = 1000;
/** Requests that prove what a 404 says: one for an entity of the list, one for its project. */
const PROOF_REQUESTS = 2;
/** Steps in which a list may fail before it has no verdict. */
export const MAX_TRIES = 3;

/**
 * Reconciles one window of a list: reads it, heals what differs, and asks for each entity that it should show and does not.
 *
 * @param reached is told where a later step goes on if this one fails, so that nothing is asked or counted twice.
 * @returns where the list goes on; undefined when it is done.
 * @throws NoVerdictError and TooMuchMissingError: the list is reported, and nothing more of it is deleted.
 */
export async function reconcileWindow(
  list: ReconciledList,
  position: ListPosition,
  context: ReconcileContext,
  reached: (position: ListPosition) => void,
): Promise<ListPosition | undefined> {
  const read = await readWindow(list, position, context);
  const { missing, isWhole, recentCount, judged } = await findMissing(
    list,
    read,
    position,
    context,
  );
  const next = read.next === undefined ? undefined : { from: read.next, ...judged };
  const isLastTry = (position.failures ?? 0) + 1 >= MAX_TRIES;
  const entities = new MissingEntities(list, read, context, isLastTry);
  const { from } = position;
  const until = read.window?.to;
  let { after } = position;
  if (missing.length > 0) reached({ ...position, until, ...judged });
  // A window that was read again must come further, however little a step may do.
  let mustAsk = position.until !== undefined;
  let left = missing;
  while (left.length > 0) {
    if (!mustAsk && !context.canAsk()) return { from, until, after, ...judged };
    // Of a chunk that cannot be sent whole, all would be asked again.
    const sendable = Math.max(1, context.requestsLeft() - PROOF_REQUESTS);
    const chunk = left.slice(0, Math.min(context.run.options.concurrency, sendable));
    left = left.slice(chunk.length);
    await entities.ask(chunk);
    mustAsk = false;
    after = chunk.at(-1) ?? after;
    reached({ from, until, after, ...judged });
  }
  if (!isWhole) return { from, until, after, ...judged };
  if (next === undefined) context.counts.tooRecent += recentCount;
  return next;
}

interface Missing {
  readonly missing: readonly EntityKey[];
  readonly isWhole: boolean;
  /** Those that are later than the window. */
  readonly recentCount: number;
  readonly judged: Pick<ListPosition, 'knownCount' | 'missingCount' | 'countedTo' | 'validId'>;
}

/** The missing entities of a window, in the order of their keys, after those that were asked for. */
async function findMissing(
  { feed, resource }: ReconciledList,
  { window, shown, validId }: ReadWindow,
  position: ListPosition,
  { run, isForced }: ReconcileContext,
): Promise<Missing> {
  const { after = '', countedTo } = position;
  const missing: EntityKey[] = [];
  let missingHereCount = 0;
  let uncountedCount = 0;
  let liveCount = 0;
  let recentCount = 0;
  for await (const versions of run.ports.store.liveVersions(feed.id, `${resource.entity}#`)) {
    liveCount += versions.length;
    const due = window ? versions.filter(({ version }) => isInWindow(version, window)) : versions;
    const recent = versions.filter(({ version }) => window && isAfter(version, window.to));
    recentCount += recent.filter(({ key }) => !shown.has(key)).length;
    for (const { key, version } of due.filter((each) => !shown.has(each.key))) {
      missingHereCount += 1;
      if (isAfter(version, countedTo)) uncountedCount += 1;
      if (key > after) missing.push(key);
      if (missing.length > MAX_MISSING) missing.length = MAX_MISSING + 1;
    }
  }
  if (missingHereCount > 0 && window === undefined) {
    throw new NoVerdictError('Neither a Date nor an entity tells how late it is for the service.');
  }
  // Those that were told as deleted since are live no more.
  const knownCount = Math.max(liveCount, position.knownCount ?? 0);
  const { missingCount: before = 0 } = position;
  // A window that is read again, whole or in parts, was counted before.
  const missingCount = Math.max(before + uncountedCount, missingHereCount);
  if (missingHereCount > 0 && missingCount > run.options.maxMissingShare * knownCount && !isForced)
    throw new TooMuchMissingError(
      `${missingCount} of ${knownCount} known entities are missing from it at once.`,
    );
  return {
    missing: missing.slice(0, MAX_MISSING),
    isWhole: missing.length <= MAX_MISSING,
    recentCount,
    judged: { knownCount, missingCount, countedTo: laterOf(countedTo, window?.to), validId },
  };
}
