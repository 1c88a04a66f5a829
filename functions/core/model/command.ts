import type { Feed } from './feed.ts';
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

const INSTANT_NAMES: readonly string[] = ['pause', 'resume', 'retry', 'rewind'];
const LONG_NAMES: readonly string[] = ['reconcile'];

/** A command of one kind in a partition of feeds. */
export type Placed<C extends Command> = PlacedCommand & { readonly command: C };

/** Whether a command needs one run. A newer version, which was rolled back, may have left others. */
export function isInstant(placed: PlacedCommand): placed is Placed<InstantCommand> {
  return INSTANT_NAMES.includes(placed.command.name);
}

/** Whether a command goes on over many runs. */
export function isLong(placed: PlacedCommand): placed is Placed<LongCommand> {
  return LONG_NAMES.includes(placed.command.name);
}

/** What every command has. */
interface CommandBase {
  /** Sorts by the time at which the command was placed. */
  readonly id: string;
  readonly scope: Scope;
}

/** A command that one run carries out. */
export type InstantCommand = CommandBase &
  (
    | { readonly name: 'pause' | 'resume' | 'retry' }
    /** The lists are read again from this time on. */
    | { readonly name: 'rewind'; readonly to: Timestamp }
  );

/** A command that goes on over many runs. */
export type LongCommand = CommandBase & {
  readonly name: 'reconcile';
  /** Also where more of a list is missing than may be. */
  readonly force?: true;
};

/** How far a long command is in a partition. */
export interface CommandProgress {
  /** The list in work; those before it, in the order of their ids, are done. */
  readonly feedId?: string;
  /** Where that list goes on, as JSON. */
  readonly position?: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Lists that could not be worked on. */
  readonly problems?: readonly ListProblem[];
}

/**
 * What an operator orders. The control function leaves it in the table, in each partition of feeds that it may
 * concern, and the shard that owns the partition carries it out under its lease, before it polls.
 */
export type Command = InstantCommand | LongCommand;

/** A command in a partition of feeds. */
export interface PlacedCommand {
  readonly partition: number;
  readonly command: Command;
  /** Of a long command, once it was begun. Its owner writes it. */
  readonly progress?: CommandProgress;
}

/** Whether a list is in the scope. @param resource the name of its resource; undefined if it is not configured. */
export function isInScope(
  { id, projectId }: Pick<Feed, 'id' | 'projectId'>,
  resource: string | undefined,
  scope: Scope,
): boolean {
  if (scope.list !== undefined && scope.list !== id) return false;
  if (scope.projectId !== undefined && scope.projectId !== projectId) return false;
  return scope.resource === undefined || scope.resource === resource;
}
