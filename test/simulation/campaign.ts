import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Exploration } from './explore.ts';
import { MUTANTS } from './mutants/mutants.ts';
import type { Order, WorkerAnswer } from './worker.ts';

/** Large enough to keep a worker busy, small enough for all workers to end together. */
const HISTORIES_PER_ORDER = 20;

/** Runs that are killed leave signals that Node.js keeps for ever: a worker ends with them. */
const ORDERS_PER_WORKER = 250;

/** A history leaves much garbage: collecting it less often saves a twentieth of the time. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 64 };

const WORKER = new URL('./worker.ts', import.meta.url);

/** The histories to simulate. */
export interface Seeds {
  /** The seed of the first history; further seeds count up. */
  readonly firstSeed: number;
  readonly histories: number;
}

/** Called with the number of histories so far. */
type OnProgress = (histories: number) => void;

/**
 * Simulates histories on all cores, until all are done or one violates an invariant.
 *
 * @throws Error when a worker fails, which is a fault of the simulation.
 */
export async function exploreHistories(
  { firstSeed, histories }: Seeds,
  onProgress?: OnProgress,
): Promise<Exploration> {
  const whole: Exploration = empty();
  const length = Math.ceil(histories / HISTORIES_PER_ORDER);
  const orders = Array.from({ length }, (_, i): Order => {
    const first = firstSeed + i * HISTORIES_PER_ORDER;
    const count = Math.min(HISTORIES_PER_ORDER, firstSeed + histories - first);
    return { kind: 'histories', first, count, limits: {} };
  });
  await carryOut(orders, WORKER, (found) => {
    addTo(whole, found);
    onProgress?.(whole.histories);
    return whole.violations.length === 0;
  });
  return whole;
}

/**
 * Simulates one rich history for each of its calls, and kills a run at that call.
 *
 * @throws Error when a worker fails, which is a fault of the simulation.
 */
export async function exploreCrashPoints(onProgress?: OnProgress): Promise<Exploration> {
  const whole: Exploration = empty();
  // Mostly, workers alone load the simulated core.
  const { allCrashes, RICH_HISTORY } = await import('./crash-points.ts');
  const { simulate } = await import('./world/simulate.ts');
  const crashes = allCrashes(await simulate(RICH_HISTORY));
  const length = Math.ceil(crashes.length / HISTORIES_PER_ORDER);
  const orders = Array.from({ length }, (_, i): Order => {
    const first = i * HISTORIES_PER_ORDER;
    return { kind: 'crashes', crashes: crashes.slice(first, first + HISTORIES_PER_ORDER) };
  });
  await carryOut(orders, WORKER, (found) => {
    addTo(whole, found);
    onProgress?.(whole.histories);
    return whole.violations.length === 0;
  });
  return whole;
}

/** How often a mutant was found. */
export interface MutantResult {
  readonly mutant: string;
  /** Histories that violate an invariant. */
  readonly found: number;
  readonly of: number;
  /** The invariant that most of them violate. */
  readonly by: string;
}

/**
 * Simulates the same histories with each of some mutants of the code.
 *
 * @param names those to try. Default: all.
 * @throws Error when a worker fails, which is a fault of the simulation.
 */
export async function exploreMutants(
  { firstSeed, histories }: Seeds,
  names: readonly string[] = MUTANTS.map(({ name }) => name),
): Promise<MutantResult[]> {
  // It brings the bundler and the compiler.
  const { bundleMutants } = await import('./mutants/bundle-mutants.ts');
  const { file, remove } = await bundleMutants(MUTANTS);
  const limits = { maxViolations: Infinity, maxShrinks: 0 };
  const orders = names.map((mutant): Order => {
    return { kind: 'histories', first: firstSeed, count: histories, limits, mutant };
  });
  const results: MutantResult[] = [];
  try {
    await carryOut(orders, file, ({ violations }, order) => {
      const mutant = 'mutant' in order ? (order.mutant ?? '') : '';
      const by = violations.map(({ broken }) => broken[0]?.split(':')[0] ?? '');
      const often = (name: string): number => by.filter((each) => each === name).length;
      const [most = ''] = by.toSorted((a, b) => often(b) - often(a));
      results.push({ mutant, found: violations.length, of: histories, by: most });
      return true;
    });
  } finally {
    await remove();
  }
  return results.toSorted((a, b) => names.indexOf(a.mutant) - names.indexOf(b.mutant));
}

/** @param onFound takes the finding of an order, and returns whether to go on. */
async function carryOut(
  orders: readonly Order[],
  module: URL,
  onFound: (found: Exploration, order: Order) => boolean,
): Promise<void> {
  const left = orders.values();
  let goesOn = true;
  const ask = async (worker: Worker, order: Order): Promise<void> => {
    const answered = once(worker, 'message') as Promise<[WorkerAnswer]>;
    worker.postMessage(order);
    const [answer] = await answered;
    if ('failure' in answer) throw new Error(answer.failure);
    goesOn &&= onFound(answer.found, order);
  };
  const work = async (): Promise<void> => {
    for (let next = left.next(); goesOn && !next.done;) {
      const worker = new Worker(module, { resourceLimits: RESOURCE_LIMITS });
      try {
        for (let n = 0; n < ORDERS_PER_WORKER && goesOn && !next.done; n += 1) {
          await ask(worker, next.value);
          next = left.next();
        }
      } finally {
        await worker.terminate();
      }
    }
  };
  const length = Math.min(availableParallelism(), orders.length);
  await Promise.all(Array.from({ length }, work));
}

function empty(): Exploration {
  return { histories: 0, operations: 0, faults: 0, violations: [] };
}

function addTo(whole: Exploration, part: Exploration): void {
  whole.histories += part.histories;
  whole.operations += part.operations;
  whole.faults += part.faults;
  whole.violations.push(...part.violations);
}
