import { parentPort } from 'node:worker_threads';
import { tryCrashes, type Crash } from './crash-points.ts';
import { explore, type Exploration, type ExploreLimits } from './explore.ts';

/** An order to a worker. */
export type Order =
  | {
      /** Simulates the histories of the seeds from `first`. */
      readonly kind: 'histories';
      readonly first: number;
      readonly count: number;
      readonly limits: ExploreLimits;
      /** The mutant of the code to run. Default: the code as it is. */
      readonly mutant?: string | undefined;
    }
  | {
      /** Kills a run at each of these points of the rich history. */
      readonly kind: 'crashes';
      readonly crashes: readonly Crash[];
    };

/** A worker's answer to an order. */
export type WorkerAnswer = { readonly found: Exploration } | { readonly failure: string };

parentPort?.on('message', (order: Order) => {
  void carryOut(order).then((answer) => parentPort?.postMessage(answer));
});

async function carryOut(order: Order): Promise<WorkerAnswer> {
  // Most errors of a history are expected, and their stacks take an eighth of its time.
  if (order.kind === 'crashes' || order.count > 1) Error.stackTraceLimit = 0;
  try {
    if (order.kind === 'crashes') return { found: await tryCrashes(order.crashes) };
    (globalThis as { mutant?: string | undefined }).mutant = order.mutant;
    const seeds = Array.from({ length: order.count }, (_, i) => order.first + i);
    return { found: await explore(seeds, order.limits) };
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { failure: `${JSON.stringify(order).slice(0, 200)}: ${failure}` };
  }
}
