import {
  isInScope,
  type LongCommand,
  type PlacedCommand,
} from '../../functions/core/model/command.ts';
import type { EntityState } from '../../functions/core/model/entity-state.ts';
import { feedPartition, type Feed } from '../../functions/core/model/feed.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import type { Delivery } from './delivery.ts';

export type Replay = Extract<LongCommand, { readonly name: 'replay' }>;

/** An event that was told again, by a replay, or that was refused then. */
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

/** Records what operators have ordered to be told again, and what was. */
export class Replays {
  readonly deliveries: Replayed[] = [];
  /** Events that were not told again by a replay that was carried out. */
  readonly omitted: string[] = [];
  readonly placed: { readonly command: Replay; readonly at: number; readonly before: number }[] =
    [];
  /** The partitions in which each replay is not carried out, by its id. */
  readonly left = new Map<string, Set<number>>();

  /** Records that a replay is placed in some partitions. */
  place(command: Replay, at: number, partitions: readonly number[]): void {
    this.placed.push({ command, at, before: this.deliveries.length });
    this.left.set(command.id, new Set(partitions));
  }

  /**
   * Records that a replay was carried out in a partition.
   *
   * @param toldBefore returns the states that were told and saved before a time.
   */
  done({ command, partition }: PlacedCommand, toldBefore: (at: number) => Iterable<Told>): void {
    const placed = this.placed.find(({ command: { id } }) => id === command.id);
    if (placed === undefined || !this.left.get(command.id)?.delete(partition)) return;
    const since = this.deliveries.slice(placed.before);
    const replayed = new Set(since.map(({ event }) => event.id));
    for (const { feed, state, eventId } of toldBefore(placed.at)) {
      if (feedPartition(feed) !== partition || replayed.has(eventId)) continue;
      if (concerns(placed.command, feed, toFixedWidth(state.inferred ?? state.sequence)))
        this.omitted.push(`${feed.id} ${state.key} of ${state.sequence}`);
    }
  }
}

/** Whether a replay concerns what happened to a list's entity at a time, in fixed width. */
export function concerns(
  { scope, since, until }: Replay,
  feed: Pick<Feed, 'id' | 'projectId'>,
  time: string,
): boolean {
  const isInTime = time >= toFixedWidth(since) && time <= toFixedWidth(until);
  return isInTime && isInScope(feed, feed.id.split('/').at(-1), scope);
}
