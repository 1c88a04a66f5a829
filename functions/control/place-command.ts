import { isLong, type Command, type Scope } from '../core/model/command.ts';
import { FEED_PARTITIONS, feedPartition, type Feed } from '../core/model/feed.ts';
import { isoTime } from '../core/model/timestamp.ts';
import type { StateStore } from '../core/ports/state-store.ts';
import { countReplay } from './count-replay.ts';
import type { OrderRequest, PlacedAnswer } from './protocol.ts';
import { refuseSecondCommand } from './refusals/refuse-long-command.ts';
import { someLists } from './some-lists.ts';

/** Commands of all lists are in these. */
export const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);

/** What placing a command needs. */
interface PlaceContext {
  /** Gives the command its id. */
  readonly nextId: () => Promise<string>;
  readonly store: Pick<
    StateStore,
    'saveCommands' | 'loadCommands' | 'deleteCommands' | 'loadStatesAfter'
  >;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Leaves a command in the table, for the shards that own its lists.
 *
 * @param feeds those in its scope.
 * @param context its ids sort by time, see {@link commandId}.
 * @throws RequestRefusedError when a long command was placed together with another one of its kind.
 */
export async function placeCommand(
  request: OrderRequest,
  feeds: readonly Feed[],
  { nextId, store, now }: PlaceContext,
): Promise<PlacedAnswer> {
  const { command: name, scope, dryRun, ...parameters } = request;
  const answer = { command: name, ...someLists(feeds) };
  if (dryRun) {
    if (request.command !== 'replay') return answer;
    const { since, until = isoTime(now()) } = request;
    return { ...answer, counted: await countReplay(feeds, { since, until }, store, now) };
  }
  const id = await nextId();
  const command = { id, name, scope, ...parameters } as Command;
  const placed = partitionsOf(scope, feeds).map((partition) => ({ partition, command }));
  await store.saveCommands(placed);
  if (isLong(command)) {
    try {
      refuseSecondCommand(request, await store.loadCommands(ALL_PARTITIONS), id);
    } catch (error) {
      await store.deleteCommands(placed);
      throw error;
    }
  }
  return { ...answer, id };
}

/** Lists that a shard adds meanwhile may be in the scope, too, unless it names one or a project. */
function partitionsOf({ list, projectId }: Scope, feeds: readonly Feed[]): readonly number[] {
  if (list === undefined && projectId === undefined) return ALL_PARTITIONS;
  return [...new Set(feeds.map(feedPartition))];
}

/**
 * The id of a command: its time and a random part.
 *
 * @param now milliseconds since 1970.
 * @param random uniform in [0, 1).
 */
export function commandId(now: number, random: () => number): string {
  const suffix = Math.floor(random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0');
  return `${isoTime(now)}-${suffix}`;
}

/** When a command was placed. */
export function placedAt(id: string): string {
  return id.slice(0, 'YYYY-MM-DDThh:mm:ss.mmmZ'.length);
}
