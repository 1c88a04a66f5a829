import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
// What is simulated is loaded by workers only.
import { newExploration, type Exploration } from './exploration.ts';
import type { ExploreLimits } from './explore.ts';
import type { WorkerAnswer, Order } from './worker.ts';

/** Large enough to keep a worker busy, small enough for all workers to end together. */
const HISTORIES_PER_ORDER = 20;

/** A history leaves much garbage: collecting it less often saves a twentieth of the time. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 64 };

/** How a campaign is run. */
export interface CampaignOptions {
  /** Default: one for each core. */
  readonly workers?: number;
  /** The module that carries out orders. Default: worker.ts, with the code of this repository. */
  readonly worker?: URL;
  /** Called with the result so far. */
  readonly onProgress?: (found: Exploration) => void;
}

/** The histories to simulate. */
export interface Seeds {
  /** The seed of the first history; further seeds count up. */
  readonly firstSeed: number;
  readonly histories: number;
  readonly limits?: ExploreLimits;
}

/**
 * Simulates histories on several cores, until all are done or one breaks a promise.
 *
 * @throws Error when a worker fails, which is a fault of the simulation.
 */
export function exploreHistories(
  { firstSeed, histories, limits = {} }: Seeds,
  options: CampaignOptions = {},
): Promise<Exploration> {
  function* orders(): Iterable<Order> {
    const end = firstSeed + histories;
    for (let first = firstSeed; first < end; first += HISTORIES_PER_ORDER) {
      const count = Math.min(HISTORIES_PER_ORDER, end - first);
      yield { kind: 'histories', first, count, limits };
    }
  }
  return carryOutOrders(orders(), options);
}

/**
 * Simulates one rich history for each of its calls, and kills a run at that call.
 *
 * @throws Error when a worker fails, which is a fault of the simulation.
 */
export async function exploreCrashPoints(options: CampaignOptions = {}): Promise<Exploration> {
  const { allCrashes, RICH_HISTORY } = await import('./crash-points.ts');
  const { simulate } = await import('./simulation.ts');
  const crashes = allCrashes(await simulate(RICH_HISTORY));
  function* orders(): Iterable<Order> {
    for (let i = 0; i < crashes.length; i += HISTORIES_PER_ORDER) {
      yield { kind: 'crashes', crashes: crashes.slice(i, i + HISTORIES_PER_ORDER) };
    }
  }
  return carryOutOrders(orders(), options);
}

async function carryOutOrders(
  orders: Iterable<Order>,
  options: CampaignOptions,
): Promise<Exploration> {
  const { workers = availableParallelism(), onProgress } = options;
  const module = options.worker ?? new URL('./worker.ts', import.meta.url);
  const found = newExploration();
  const left = orders[Symbol.iterator]();
  const work = async (): Promise<void> => {
    let next = left.next();
    // Starting a worker takes as long as many histories.
    if (next.done === true) return;
    const worker = new Worker(module, { resourceLimits: RESOURCE_LIMITS });
    try {
      for (; next.done !== true; next = left.next()) {
        const answered = once(worker, 'message') as Promise<[WorkerAnswer]>;
        worker.postMessage(next.value);
        const [answer] = await answered;
        if ('failure' in answer) throw new Error(answer.failure);
        add(answer.found, found);
        onProgress?.(found);
        if (found.violations.length > 0) return;
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return found;
}

function add(part: Exploration, whole: Exploration): void {
  whole.histories += part.histories;
  whole.operations += part.operations;
  whole.faults += part.faults;
  whole.violations.push(...part.violations);
  for (const [value, count] of Object.entries(part.dimensions)) {
    whole.dimensions[value] = (whole.dimensions[value] ?? 0) + count;
  }
}
