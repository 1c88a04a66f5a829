import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { allCrashPoints } from './crash-points.ts';
import { newExploration, type Exploration, type ExploreLimits } from './explore.ts';
import type { PagePosition, Order } from './worker.ts';

/** What a worker gets at a time: enough to be busy, little enough for all to end together. */
const HISTORIES_PER_ORDER = 20;

/** How a campaign is run. */
export interface CampaignOptions {
  /** Default: one for each core. */
  readonly workers?: number;
  /** Whose code is tried: a folder with `test/simulation` in it. Default: this one. */
  readonly root?: URL;
  /** Called now and then with what was found so far. */
  readonly onProgress?: (found: Exploration) => void;
}

/** Which histories are tried. */
export interface Seeds {
  /** The seed of the first history; those after it count up. */
  readonly firstSeed: number;
  readonly histories: number;
  readonly limits?: ExploreLimits;
}

/**
 * Explores histories on several cores, until all are run or one breaks a promise.
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
  return publishAndSave(orders(), options);
}

/**
 * Dies at every call of one rich history, each time in a run of its own.
 *
 * @throws Error when a worker fails, which is a fault of the simulation.
 */
export async function exploreCrashPoints(options: CampaignOptions = {}): Promise<Exploration> {
  const points = await allCrashPoints();
  function* orders(): Iterable<Order> {
    for (let i = 0; i < points.length; i += HISTORIES_PER_ORDER) {
      yield { kind: 'crash points', points: points.slice(i, i + HISTORIES_PER_ORDER) };
    }
  }
  return publishAndSave(orders(), options);
}

async function publishAndSave(
  orders: Iterable<Order>,
  options: CampaignOptions,
): Promise<Exploration> {
  const { workers = availableParallelism(), onProgress } = options;
  const root = options.root ?? new URL('../../', import.meta.url);
  const found = newExploration();
  const left = orders[Symbol.iterator]();
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('test/simulation/worker.ts', root));
    try {
      for (let next = left.next(); next.done !== true; next = left.next()) {
        const answered = once(worker, 'message') as Promise<[PagePosition]>;
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
}
