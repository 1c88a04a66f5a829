import { afterChange, isSameFeed, type OperatorChange } from '../core/feeds/operator-change.ts';
import { FeedConflictError } from '../core/model/errors.ts';
import type { Feed } from '../core/model/feed.ts';
import { hasJob } from '../core/model/job.ts';
import { isoTime } from '../core/model/timestamp.ts';
import type { OperatedStore } from './ports.ts';
import type { ChangedAnswer, ChangeRequest } from './protocol.ts';
import { someLists } from './some-lists.ts';

/** Lists that are written side by side. */
const FEEDS_AT_ONCE = 100;
/** After this time the answer carries a key to go on with: the function has a minute. */
const MAX_MS = 30_000;
/** Tries of one list, which the poller may commit several times a second. */
const MAX_TRIES = 10;

interface ChangeContext {
  readonly store: Pick<
    OperatedStore,
    'commitFeed' | 'loadFeedsById' | 'loadAllPaused' | 'saveAllPaused'
  >;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Uniform in [0, 1), as `Math.random`. */
  readonly random: () => number;
}

/**
 * Changes lists at once, each by a conditional write, in the order of their ids. The poller finds it with its next
 * load. To pause or resume all lists is one write, which each run reads. A job of many lists has one id.
 *
 * @param feeds all lists in the scope, read consistently.
 */
export async function changeFeeds(
  request: ChangeRequest,
  feeds: readonly Feed[],
  context: ChangeContext,
): Promise<ChangedAnswer> {
  const { store, now } = context;
  const answer = { command: request.command, ...someLists(feeds), ...countSpecial(feeds) };
  const isAllPaused = await store.loadAllPaused();
  if (request.dryRun === true) return { ...answer, ...(isAllPaused && { isAllPaused }) };
  const isSwitch = request.command === 'pause' || request.command === 'resume';
  if (isSwitch && Object.keys(request.scope).length === 0) {
    const isPause = request.command === 'pause';
    await store.saveAllPaused(isPause);
    return { ...answer, changedCount: feeds.length, ...(isPause && { isAllPaused: true }) };
  }
  const left = feeds
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .filter(({ id }) => id > (request.after ?? ''));
  const change = toChange(request, context);
  const changedCount = await writeUntil(now() + MAX_MS, left, change, context);
  const next = left.length > changedCount ? left[changedCount - 1]?.id : undefined;
  return {
    ...answer,
    ...('id' in change && { id: change.id }),
    changedCount,
    ...(isAllPaused && { isAllPaused }),
    ...(next !== undefined && { next }),
  };
}

function toChange(request: ChangeRequest, { now, random }: ChangeContext): OperatorChange {
  const { command } = request;
  if (command !== 'replay' && command !== 'reconcile') return request;
  const id = request.id ?? newJobId(now(), random);
  if (command === 'replay') return { command, id, since: request.since };
  return { command, id, ...(request.force && { force: true }) };
}

/** The id of a job: its time and a random part. */
export function newJobId(now: number, random: () => number): string {
  const suffix = Math.floor(random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0');
  return `${isoTime(now)}-${suffix}`;
}

/** When the jobs with an id were ordered. */
export function orderedAt(id: string): string {
  return id.slice(0, 'YYYY-MM-DDThh:mm:ss.mmmZ'.length);
}

/** @returns how many of the first lists are written; at least some. */
async function writeUntil(
  until: number,
  feeds: readonly Feed[],
  change: OperatorChange,
  { store, now }: ChangeContext,
): Promise<number> {
  let count = 0;
  do {
    const some = feeds.slice(count, count + FEEDS_AT_ONCE);
    await Promise.all(some.map((feed) => writeFeed(feed, change, store)));
    count += some.length;
  } while (count < feeds.length && now() < until);
  return count;
}

/** What writing a list needs. */
export type FeedWriteStore = Pick<OperatedStore, 'commitFeed' | 'loadFeedsById'>;

/** Writes a list. A conflict is tried again on the list as it is then. */
export async function writeFeed(
  loaded: Feed,
  change: OperatorChange,
  store: FeedWriteStore,
): Promise<void> {
  let feed: Feed | undefined = loaded;
  for (let tries = 1; feed !== undefined; tries += 1) {
    const changed = afterChange(feed, change);
    if (isSameFeed(feed, changed)) return;
    try {
      await store.commitFeed(changed);
      return;
    } catch (error) {
      if (!(error instanceof FeedConflictError) || tries === MAX_TRIES) throw error;
      feed = (await store.loadFeedsById([feed])).get(feed.id);
    }
  }
}

/** How many lists are paused, of deleted projects or at work: that may decide what a command comes to. */
function countSpecial(feeds: readonly Feed[]) {
  return {
    jobCount: feeds.filter(hasJob).length,
    pausedCount: feeds.filter(({ paused }) => paused).length,
    deletedCount: feeds.filter(({ parked }) => parked !== undefined).length,
  };
}
