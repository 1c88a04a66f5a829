import { parentPort } from 'node:worker_threads';
import { tryCrashes, type Crash } from './crash-points.ts';
import type { Exploration } from './exploration.ts';
import { explore, type ExploreLimits } from './explore.ts';
import { withoutStacks } from './without-stacks.ts';

/** An order to a worker. */
export type Order =
  | {
      /** Simulates the histories of the seeds from `first`. */
      readonly kind: 'histories';
      readonly first: number;
      readonly count: number;
      readonly limits: ExploreLimits;
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
  try {
    if (order.kind === 'crashes')
      return { found: await withoutStacks(() => tryCrashes(order.crashes)) };
    const seeds = Array.from({ length: order.count }, (_, i) => order.first + i);
    const exploring = () => explore(seeds, order.limits);
    // One seed keeps them.
    return { found: await (order.count === 1 ? exploring() : withoutStacks(exploring)) };
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { failure: `${JSON.stringify(order).slice(0, 200)}: ${failure}` };
  }
}
