import type { LongCommand, PlacedCommand, Progress } from '../../model/command.ts';
import type { RunContext } from '../run-context.ts';

/** A long command in a partition of this shard. */
export interface PlacedLongCommand<C extends LongCommand = LongCommand> extends PlacedCommand {
  readonly command: C;
}

export interface StepContext {
  readonly run: RunContext;
  /** A step ends soon after this time, in milliseconds since 1970, but not before it has made some progress. */
  readonly until: number;
}

/** How far a command is after a step. */
export interface StepResult {
  readonly progress: Progress;
  /** Whether its part in this partition is done. */
  readonly isDone: boolean;
  /** Why the step ended early, if that is to be reported. It goes on from its progress all the same. */
  readonly failure?: Error;
  /** Whether some of it succeeded before that, and is not repeated. */
  readonly isFurther?: boolean;
}

/** One step of a long command. */
export type Step<C extends LongCommand> = (
  placed: PlacedLongCommand<C>,
  context: StepContext,
) => Promise<StepResult>;
