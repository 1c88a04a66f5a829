import { isLong, type LongCommand, type PlacedCommand } from '../../model/command.ts';
import { FatalError } from '../../model/errors.ts';
import type { RunContext } from '../run-context.ts';
import { reconcileStep } from './reconcile-step.ts';
import type { Step, StepContext } from './step.ts';

/** By the command's name. */
const STEPS: Readonly<Partial<Record<LongCommand['name'], Step>>> = {
  reconcile: reconcileStep,
};

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
      // It has to wait: for the service, or for requests.
      if (after !== undefined && JSON.stringify(after.progress) === JSON.stringify(next.progress))
        break;
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
