import { chunksOf } from '../core/model/chunks.ts';
import { isChangedWithin } from '../core/model/entity-state.ts';
import type { Feed } from '../core/model/feed.ts';
import type { Timestamp } from '../core/model/timestamp.ts';
import type { StateStore } from '../core/ports/state-store.ts';
import type { CountedEvents } from './protocol.ts';

/** Counting ends after this time: an answer must come while somebody waits. */
const MAX_MS = 10_000;
/** Lists that are counted at once. */
const CONCURRENCY = 8;

/**
 * Counts the events that a replay of a time would tell, list by list, as far as ten seconds reach. Those whose content
 * was too large to keep are counted, too: nobody knows before they are made.
 *
 * @param now milliseconds since 1970.
 */
export async function countReplay(
  feeds: readonly Feed[],
  time: { readonly since: Timestamp; readonly until: Timestamp },
  store: Pick<StateStore, 'loadStatesAfter'>,
  now: () => number,
): Promise<CountedEvents> {
  const end = now() + MAX_MS;
  let eventCount = 0;
  let listCount = 0;
  const countList = async ({ id }: Feed): Promise<void> => {
    let after: string | undefined;
    do {
      const { states, next } = await store.loadStatesAfter(id, after);
      eventCount += states.filter(
        (state) => isChangedWithin(state, time) && state.event !== undefined,
      ).length;
      after = next;
    } while (after !== undefined && now() < end);
    if (after === undefined) listCount += 1;
  };
  for (const some of chunksOf(feeds, CONCURRENCY)) {
    if (now() >= end) break;
    await Promise.all(some.map(countList));
  }
  return { eventCount, listCount };
}
