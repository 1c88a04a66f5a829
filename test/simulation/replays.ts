import type { EntityState } from '../../functions/core/model/entity-state.ts';
import type { Feed } from '../../functions/core/model/feed.ts';
import { toFixedWidth, type Timestamp } from '../../functions/core/model/timestamp.ts';
import type { Delivery } from './delivery.ts';

/** An event that a replay has published, or that was refused then. */
export interface Replayed extends Delivery {
  /** The number of other deliveries before it. */
  readonly toldCount: number;
}

/** A state that was told: what a replay owes. */
export interface Told {
  readonly feed: Feed;
  readonly state: EntityState;
  /** Id of the event that told it. */
  readonly eventId: string;
}

/** A replay of one list. */
interface Placed {
  readonly feedId: string;
  readonly since: Timestamp;
  readonly at: number;
  /** The number of replayed events before. */
  readonly before: number;
}

/** Records the replays that operators have ordered, and what was published. */
export class Replays {
  readonly deliveries: Replayed[] = [];
  /** Events that were not published by a replay that is done. */
  readonly omitted: string[] = [];
  readonly placed: Placed[] = [];
  /** The replay that is not done, by list. */
  readonly left = new Map<string, Placed>();

  /**
   * Records what a stored feed says of its replay.
   *
   * @param before the feed as it was stored before.
   * @param toldBefore returns the states that were told and saved before a time.
   */
  stored(
    before: Feed | undefined,
    { id: feedId, job }: Feed,
    at: number,
    toldBefore: (at: number) => Iterable<Told>,
  ): void {
    if (job?.name !== 'replay') return;
    if (job.id !== before?.job?.id) {
      const placed = { feedId, since: job.since ?? '', at, before: this.deliveries.length };
      this.placed.push(placed);
      this.left.set(feedId, placed);
    }
    const placed = this.left.get(feedId);
    if (job.outcome === undefined || placed === undefined) return;
    this.left.delete(feedId);
    const replayed = new Set(this.deliveries.slice(placed.before).map(({ event }) => event.id));
    for (const { feed, state, eventId } of toldBefore(placed.at)) {
      const isMissing =
        !replayed.has(eventId) && concerns(placed, feed.id, state.inferred ?? state.sequence);
      if (isMissing) this.omitted.push(`${feed.id} ${state.key} of ${state.sequence}`);
    }
  }
}

/** Whether a replay concerns what a list's entity had at a sequence. */
export function concerns(
  { feedId, since }: Pick<Placed, 'feedId' | 'since'>,
  id: string,
  sequence: string,
): boolean {
  return id === feedId && toFixedWidth(sequence) >= toFixedWidth(since);
}
