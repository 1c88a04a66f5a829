import { NO_PROGRESS, type LongCommand, type PlacedCommand } from '../../model/command.ts';
import { FatalError } from '../../model/errors.ts';
import type { RunContext } from '../run-context.ts';
import { reconcileStep } from './reconcile-step.ts';
import { replayStep } from './replay.ts';
import type { PlacedLongCommand, Step, StepContext, StepResult } from './step.ts';

/** Maximum wait between two tries of a command that fails. */
const MAX_REPEAT_MS = 600_000;

/**
 * The steps, in the order of their commands: one that is soon done comes first, and one that waits for answers of the service,
 * maybe for days, comes last.
 */
const STEPS: {
  readonly [Name in LongCommand['name']]: Step<Extract<LongCommand, { readonly name: Name }>>;
} = { replay: replayStep, reconcile: reconcileStep };

/**
 * Works on the long commands of this shard, one after the other, until the time is over: at least one step a run,
 * so that polling never keeps them from going on. Progress is saved after each step. A command that is cancelled
 * meanwhile ends there.
 *
 * One that waits or fails is left to the next sweep or run, which goes on from its progress: it holds up none behind it.
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
  const { clock } = run.ports;
  const { signal } = run.stopping;
  const left: PlacedCommand[] = [];
  let canGoOn = true;
  for (const command of placed.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const after = canGoOn && !signal.aborted ? await workOn(command, { run, until }) : command;
    if (after !== undefined) left.push(after);
    canGoOn &&= clock.now() < until;
  }
  return left;
}

function rankOf({ command }: PlacedCommand): number {
  return Object.keys(STEPS).indexOf(command.name);
}

/** Makes steps until the time is over, or the next one has to wait. @returns undefined when nothing is left to do. */
async function workOn(
  placed: PlacedCommand,
  context: StepContext,
): Promise<PlacedCommand | undefined> {
  const { ports, stopping } = context.run;
  const { retryAt = 0 } = placed.progress ?? {};
  // A clock that was ahead keeps nobody waiting for longer.
  if (retryAt > ports.clock.now() && retryAt <= ports.clock.now() + MAX_REPEAT_MS) return placed;
  let left = placed;
  let { failures = 0 } = placed.progress ?? {};
  try {
    do {
      const before = left;
      const { progress, isDone, failure, isFurther } = await stepOf(before, context);
      // Later sweeps go on from here, even if it cannot be saved now.
      left = { ...before, progress };
      if (isDone) {
        await end(left, context);
        return undefined;
      }
      if (failure !== undefined) {
        if (isFurther) failures = 0;
        throw failure;
      }
      if (!(await ports.store.saveProgress(left))) return undefined;
      // It waits: for the service, or for requests.
      if (isSame(left, before)) return left;
      failures = 0;
    } while (ports.clock.now() < context.until && !stopping.signal.aborted);
  } catch (error) {
    if (error instanceof FatalError) throw error;
    const { id: command } = placed.command;
    const message = 'A command was interrupted; the next run goes on with it';
    ports.telemetry.error(message, error, { command });
    // The end of the run is no failure, but a call that it cuts off is one.
    if (error !== stopping.signal.reason)
      left = afterFailure(left, failures + 1, ports.clock.now());
    // It may be the table that fails: later sweeps of this run know it all the same.
    const isThere = await ports.store.saveProgress(left).catch(() => true);
    if (!isThere) return undefined;
  }
  return left;
}

/** Each try publishes again what the topic accepts: so they become rarer, as those of polling do. */
function afterFailure(placed: PlacedCommand, failures: number, now: number): PlacedCommand {
  const waitMs = failures === 1 ? 0 : Math.min(60_000 * 2 ** (failures - 2), MAX_REPEAT_MS);
  const progress = { ...NO_PROGRESS, ...placed.progress, failures, retryAt: now + waitMs };
  return { ...placed, progress };
}

function isSame({ progress: a }: PlacedCommand, { progress: b }: PlacedCommand): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Deletes a command that is done in its partition. */
async function end(placed: PlacedCommand, { run }: StepContext): Promise<void> {
  const { store, telemetry } = run.ports;
  await store.deleteCommands([placed]);
  const { partition, command, progress } = placed;
  const fields = { command: command.id, partition, ...progress?.counts };
  telemetry.info('A command was carried out in a partition', fields);
}

function stepOf(placed: PlacedCommand, context: StepContext): Promise<StepResult> {
  const long = placed as PlacedLongCommand;
  const step = STEPS[long.command.name] as Step<LongCommand>;
  return step(long, context);
}
