import { feedPartition, type Feed } from './feed.ts';
import type { ListProblem } from './reconcile-report.ts';
import type { Timestamp } from './timestamp.ts';

/** The lists that a command concerns: one, those of a project, those of a resource, or all. */
export interface Scope {
  /** Id of a list: `projects`, `projects/<project_id>/floorplans`. */
  readonly list?: string;
  readonly projectId?: string;
  /** Name of a resource: `floorplans`. */
  readonly resource?: string;
}

/** A newer version, which was rolled back, may have left others. */
const LONG: readonly string[] = ['replay', 'reconcile'];

/** Whether the command goes on over many runs. */
export function isLong(command: Command): command is LongCommand {
  return LONG.includes(command.name);
}

/** What every command has. */
interface CommandBase {
  /** Sorts by the time at which the command was placed. */
  readonly id: string;
  readonly scope: Scope;
}

/** Of a command that was not begun. */
export const NO_PROGRESS: Progress = { feedId: '', counts: {} };

/** A command that goes on over many runs, within the time and the requests that polling leaves. */
export type LongCommand = CommandBase &
  (
    | {
        readonly name: 'replay';
        /** The events of entities whose last change lies in this time are told again. */
        readonly since: Timestamp;
        readonly until: Timestamp;
      }
    | {
        readonly name: 'reconcile';
        /** Goes on although more of a list is missing than config allows. */
        readonly force?: true;
      }
  );

/**
 * What an operator orders. The control function leaves it in the table, in each partition of feeds that it may
 * concern, and the shard that owns the partition carries it out under its lease.
 */
export type Command = LongCommand;

/** How far a long command is in a partition. The owner of the partition saves it. */
export interface Progress {
  /** The list in work, or the last one that is done: they are worked in the order of their ids. */
  readonly feedId: string;
  /** Where the next step goes on in that list; absent: it is done. What it means, the command knows. */
  readonly position?: string;
  /** What was done until now, by kind: `lists`, `events` … */
  readonly counts: Readonly<Record<string, number>>;
  /** Lists on which it could not work; not all, if there are many. */
  readonly problems?: readonly ListProblem[];
  /** Steps that failed in a row on our side: what was found could not be published or saved. */
  readonly failures?: number;
  /** After the second of these no step is made before this time, in milliseconds since 1970 by our clock. */
  readonly retryAt?: number;
}

/** A command in a partition of feeds. */
export interface PlacedCommand {
  readonly partition: number;
  readonly command: Command;
  /** Of a long command; absent before its first step. */
  readonly progress?: Progress;
}

/** Whether a list is in the scope. @param resource the name of its resource, selected or not; undefined if it is not configured. */
export function isInScope(
  { id, projectId }: Pick<Feed, 'id' | 'projectId'>,
  resource: string | undefined,
  scope: Scope,
): boolean {
  if (scope.list !== undefined && scope.list !== id) return false;
  if (scope.projectId !== undefined && scope.projectId !== projectId) return false;
  return scope.resource === undefined || scope.resource === resource;
}

/**
 * Whether a long command has still to work a list of its partition, or the rest of it.
 *
 * @param resource see {@link isInScope}. Lists that are no longer configured are left out.
 */
export function isListLeft(
  feed: Feed,
  resource: string | undefined,
  { partition, command, progress = NO_PROGRESS }: PlacedCommand,
): boolean {
  if (feedPartition(feed) !== partition || resource === undefined) return false;
  if (!isInScope(feed, resource, command.scope)) return false;
  const { feedId, position } = progress;
  return feed.id > feedId || (feed.id === feedId && position !== undefined);
}

/** Adds up what was done, by kind. */
export function sumOfCounts(all: readonly Progress['counts'][]): Progress['counts'] {
  const sum: Record<string, number> = {};
  for (const counts of all) {
    for (const [kind, count] of Object.entries(counts)) sum[kind] = (sum[kind] ?? 0) + count;
  }
  return sum;
}
