import type { EntityKey } from './entity-state.ts';
import type { Feed } from './feed.ts';
import type { Timestamp } from './timestamp.ts';

/** The lists that a command concerns: one, those of a project, those of a resource, or all. */
export interface Scope {
  /** Id of a list: `projects`, `projects/<project_id>/floorplans`. */
  readonly list?: string;
  readonly projectId?: string;
  /** Name of a resource: `floorplans`. */
  readonly resource?: string;
}

const COMMAND_NAMES: readonly string[] = ['pause', 'resume', 'retry', 'rewind', 'reread', 'forget'];

/** Whether this version can carry a command out. A newer one, which was rolled back, may have left others. */
export function isKnownCommand({ command }: PlacedCommand): boolean {
  return COMMAND_NAMES.includes(command.name);
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
    /** Lists are read again for invalid entities of theirs, by list. */
    | { readonly name: 'reread'; readonly lists: Readonly<Record<string, Reread>> }
    | ForgetCommand
  );

/** What of a list is read again. */
export interface Reread {
  /** The earliest page that showed one of the entities. Absent: the first page. */
  readonly from?: Timestamp;
  /** Keys under which the entities are remembered as quarantined. */
  readonly invalid: readonly EntityKey[];
}

/**
 * All that is known of a project is removed: first its lists with their states, by the shard that owns them, then
 * its own state, by the shard that owns the list of projects. Between the two the project raises no event for
 * its content, since it has a state and no lists.
 */
export interface ForgetCommand {
  readonly name: 'forget';
  readonly scope: { readonly projectId: string };
  /** Set in the partition of the list of projects, once the project's own lists are gone. */
  readonly areListsGone?: true;
}

/**
 * What an operator orders. The control function leaves it in the table, in each partition of feeds that it may
 * concern, and the shard that owns the partition carries it out under its lease, before it polls.
 */
export type Command = InstantCommand;

/** A command in a partition of feeds. */
export interface PlacedCommand {
  readonly partition: number;
  readonly command: Command;
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
