import { randomBytes } from 'node:crypto';
import { afterChange, isSameFeed, type OperatorChange } from '../core/feeds/operator-change.ts';
import { FeedConflictError } from '../core/model/errors.ts';
import type { Feed } from '../core/model/feed.ts';
import { hasJob } from '../core/model/job.ts';
import { isoTime } from '../core/model/timestamp.ts';
import type { FeedStore, OperatedStore } from './ports.ts';
import type { ChangedAnswer, ChangeRequest } from './protocol.ts';

/** Lists that are written side by side. */
const FEEDS_AT_ONCE = 100;
/** After this time the answer carries a key to go on with: the function has a minute. */
const MAX_MS = 30_000;
/** Tries of one list, which the poller may commit several times a second. */
const MAX_TRIES = 10;
/** Ids of lists in an answer. */
const MAX_EXAMPLES = 10;

interface ChangeContext {
  readonly store: FeedStore & Pick<OperatedStore, 'loadAllPaused' | 'saveAllPaused'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Changes lists, each by a conditional write, in the order of their ids. The poller finds the
 * change with its next load. To pause or resume all lists is one write, which each run reads.
 *
 * @param feeds all lists in the scope, read consistently.
 */
export async function changeFeeds(
  request: ChangeRequest,
  feeds: readonly Feed[],
  { store, now }: ChangeContext,
): Promise<ChangedAnswer> {
  const { command, scope, dryRun, after = '' } = request;
  const isAllPaused = (await store.loadAllPaused()) || undefined;
  const answer = { command, ...describe(feeds), examples: examplesOf(feeds), isAllPaused };
  if (dryRun === true) return answer;
  const isPause = command === 'pause';
  if ((isPause || command === 'resume') && Object.keys(scope).length === 0) {
    await store.saveAllPaused(isPause);
    const changed = isPause === (isAllPaused ?? false) ? [] : feeds;
    return { ...answer, ...describeChanged(changed), isAllPaused: isPause || undefined };
  }
  const change = toChange(request, now());
  const left = feeds.filter(({ id }) => id > after).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const endAt = now() + MAX_MS;
  const changed: Feed[] = [];
  let next: string | undefined;
  do {
    const some = left.splice(0, FEEDS_AT_ONCE);
    const isChanged = await Promise.all(some.map((feed) => writeFeed(feed, change, store)));
    changed.push(...some.filter((_, index) => isChanged[index]));
    next = some.at(-1)?.id;
  } while (left.length > 0 && now() < endAt);
  const rest = left.length > 0 ? { next, leftCount: left.length } : {};
  const id = 'id' in change ? change.id : undefined;
  return { ...answer, id, ...describeChanged(changed), ...rest };
}

function describeChanged(changed: readonly Feed[]) {
  return { changedCount: changed.length, examples: examplesOf(changed) };
}

const examplesOf = (feeds: readonly Feed[]) => feeds.slice(0, MAX_EXAMPLES).map(({ id }) => id);

/** How many lists there are, and of these are paused, of deleted projects, or have a job. */
function describe(feeds: readonly Feed[]) {
  return {
    listCount: feeds.length,
    jobCount: feeds.filter(hasJob).length,
    pausedCount: feeds.filter(({ paused }) => paused).length,
    deletedCount: feeds.filter(({ parked }) => parked !== undefined).length,
  };
}

function toChange(request: ChangeRequest, now: number): OperatorChange {
  const { command } = request;
  if (command !== 'replay' && command !== 'reconcile') return request;
  const id = request.id ?? newJobId(now);
  if (command === 'replay') return { command, id, since: request.since };
  return { command, id, ...(request.force && { force: true }) };
}

/** The id of the jobs of one command: its time and a random part. */
export function newJobId(now: number): string {
  return `${isoTime(now)}-${randomBytes(2).toString('hex')}`;
}

/** When the command with the id was given. */
export function orderedAt(id: string): string {
  return id.slice(0, 'YYYY-MM-DDThh:mm:ss.mmmZ'.length);
}

/**
 * Writes a list; forced, also as it is, so that a poll under way is refused.
 *
 * @returns whether it was written.
 */
export async function writeFeed(
  loaded: Feed,
  change: OperatorChange,
  store: FeedStore,
  isForced = false,
): Promise<boolean> {
  let feed: Feed | undefined = loaded;
  for (let tries = 1; feed !== undefined; tries += 1) {
    const changed = afterChange(feed, change);
    if (!isForced && isSameFeed(feed, changed)) return false;
    try {
      await store.commitFeed(changed);
      return true;
    } catch (error) {
      if (!(error instanceof FeedConflictError) || tries === MAX_TRIES) throw error;
      feed = (await store.loadFeedsById([feed])).get(feed.id);
    }
  }
  return false;
}
