import { isLong, type LongCommand, type PlacedCommand } from '../../model/command.ts';
import { FatalError } from '../../model/errors.ts';
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

/** By the command's name. */
const STEPS: Readonly<Partial<Record<LongCommand['name'], Step>>> = {};

/**
 * Works on the long commands of this shard, one after the other, until the time is over: at least one step a run,
 * so that polling never keeps them from going on. Progress is saved after each step. A command that is cancelled
 * meanwhile ends there.
 *
 * A failure ends the work; the next run goes on from the last saved progress.
 *
 * @param until milliseconds since 1970.
 * @returns those that are not done.
 * @throws FatalError when the run cannot continue.
 */
export async function workOnCommands(
  placed: readonly PlacedCommand[],
  run: RunContext,
  until: number,
): Promise<readonly PlacedCommand[]> {
  const { clock, telemetry } = run.ports;
  const left = [...placed];
  const isOver = (): boolean => clock.now() >= until || run.stopping.signal.aborted;
  try {
    do {
      const [next] = left;
      if (next === undefined || run.stopping.signal.aborted) break;
      const after = await doStep(next, { run, until });
      if (after === undefined) left.shift();
      else left[0] = after;
    } while (!isOver());
  } catch (error) {
    if (error instanceof FatalError) throw error;
    telemetry.error('A command was interrupted; the next run goes on with it', error, {
      command: left[0]?.command.id,
    });
  }
  return left;
}

/** @returns undefined when nothing is left to do. */
async function doStep(
  placed: PlacedCommand,
  context: StepContext,
): Promise<PlacedCommand | undefined> {
  const { command } = placed;
  const step = isLong(command) ? STEPS[command.name] : undefined;
  if (!isLong(command) || step === undefined) return undefined;
  const { store } = context.run.ports;
  const after = await step({ ...placed, command }, context);
  if (after === undefined) {
    await store.deleteCommands([placed]);
    return undefined;
  }
  return (await store.saveProgress(after)) ? after : undefined;
}
