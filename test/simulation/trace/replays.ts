import type { EntityState } from '../../../functions/core/model/entity-state.ts';
import type { Feed } from '../../../functions/core/model/feed.ts';
import { toFixedWidth, type Timestamp } from '../../../functions/core/model/timestamp.ts';
import type { Delivery } from './delivery.ts';

/** An event that a replay has published, or that was refused then. */
export interface Replayed extends Delivery {
  /** The number of other deliveries before it. */
  readonly publishedCount: number;
}

/** A state that was published: a replay has to repeat it. */
export interface Published {
  readonly state: EntityState;
  readonly eventId: string;
}

/** A replay of one list. */
interface Order {
  readonly feedId: string;
  readonly since: Timestamp;
  readonly at: number;
  /** The number of replayed events before. */
  readonly before: number;
}

/** Records the replays of operators, and their events. */
export class Replays {
  readonly deliveries: Replayed[] = [];
  /** States that were not published by a replay that is done. */
  readonly omitted: string[] = [];
  readonly orders: Order[] = [];
  /** The replay that is not done, by list. */
  readonly open = new Map<string, Order>();

  /**
   * Records the replay in a stored feed.
   *
   * @param before the feed as it was stored before.
   * @param publishedBefore returns the list's states that were published and saved before a time.
   */
  stored(
    before: Feed | undefined,
    { id: feedId, job }: Feed,
    at: number,
    publishedBefore: (at: number) => Iterable<Published>,
  ): void {
    if (job?.name !== 'replay') return;
    if (job.id !== before?.job?.id) {
      const order = { feedId, since: job.since ?? '', at, before: this.deliveries.length };
      this.orders.push(order);
      this.open.set(feedId, order);
    }
    const order = this.open.get(feedId);
    if (job.outcome === undefined || order === undefined) return;
    this.open.delete(feedId);
    const replayed = new Set(this.deliveries.slice(order.before).map(({ event }) => event.id));
    for (const { state, eventId } of publishedBefore(order.at)) {
      const isMissing = !replayed.has(eventId) && concerns(order, feedId, state);
      if (isMissing) this.omitted.push(`${feedId} ${state.key} of ${state.sequence}`);
    }
  }
}

/** Whether a replay concerns an event, by its sequence or by when it was inferred. */
export function concerns(
  { feedId, since }: Pick<Order, 'feedId' | 'since'>,
  id: string,
  { sequence, inferred = sequence }: Pick<EntityState, 'sequence' | 'inferred'>,
): boolean {
  const isSince = (time: Timestamp): boolean => toFixedWidth(time) >= toFixedWidth(since);
  return id === feedId && (isSince(sequence) || isSince(inferred));
}
