import { NO_PROGRESS, type PlacedCommand } from '../../model/command.ts';
import { FatalError } from '../../model/errors.ts';
import type { RunContext } from '../run-context.ts';
import { replayStep } from './replay.ts';
import { retellStep } from './retell.ts';
import type { StepContext, StepResult } from './step.ts';

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
  const { store, telemetry } = context.run.ports;
  const { progress, isDone } = await stepOf(placed, context);
  const after = { ...placed, progress };
  if (!isDone) return (await store.saveProgress(after)) ? after : undefined;
  await store.deleteCommands([placed]);
  const { partition, command } = placed;
  const fields = { command: command.id, partition, ...progress.counts };
  telemetry.info('A command was carried out in a partition', fields);
  return undefined;
}

async function stepOf(placed: PlacedCommand, context: StepContext): Promise<StepResult> {
  const { command } = placed;
  switch (command.name) {
    case 'replay':
      return replayStep({ ...placed, command }, context);
    case 'retell':
      return retellStep({ ...placed, command }, context);
    default:
      return { progress: NO_PROGRESS, isDone: true };
  }
}
