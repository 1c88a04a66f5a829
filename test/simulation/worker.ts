import { parentPort } from 'node:worker_threads';
import { tryCrashPoints } from './crash-points.ts';
import { explore, type Exploration, type ExploreLimits } from './explore.ts';
import type { CrashPoint } from './process.ts';

/** What a worker is to do. */
export type Order =
  | {
      /** Runs the histories of the seeds from `first` on. */
      readonly kind: 'histories';
      readonly first: number;
      readonly count: number;
      readonly limits: ExploreLimits;
    }
  | {
      /** Dies at each of these points of the fixed history. */
      readonly kind: 'crash points';
      readonly points: readonly CrashPoint[];
    };

/** What a worker answers an order with. */
export type PagePosition = { readonly found: Exploration } | { readonly failure: string };

parentPort?.on('message', (order: Order) => {
  void publishAndSave(order).then((answer) => parentPort?.postMessage(answer));
});

async function publishAndSave(order: Order): Promise<PagePosition> {
  try {
    if (order.kind === 'crash points') return { found: await tryCrashPoints(order.points) };
    const seeds = Array.from({ length: order.count }, (_, i) => order.first + i);
    return { found: await explore(seeds, order.limits) };
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { failure: `${JSON.stringify(order).slice(0, 200)}: ${failure}` };
  }
}
