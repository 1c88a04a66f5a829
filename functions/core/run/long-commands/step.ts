import type { LongCommand, PlacedCommand } from '../../model/command.ts';
import type { RunContext } from '../run-context.ts';

/** A long command in a partition of this shard. */
export interface PlacedLongCommand extends PlacedCommand {
  readonly command: LongCommand;
}

/** One step of a long command. */
export interface StepContext {
  readonly run: RunContext;
  /** Ends soon after this time, in milliseconds since 1970, but not before it has made some progress. */
  readonly until: number;
}

/** Does a step. @returns the command with its progress; undefined when its part is done. */
export type Step = (
  placed: PlacedLongCommand,
  context: StepContext,
) => Promise<PlacedLongCommand | undefined>;
