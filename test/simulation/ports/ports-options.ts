import type { Random } from '../../../infra/local/simulator/world/random.ts';
import type { MemoryQuarantine } from '../../support/memory-quarantine.ts';
import type { MemoryStore } from '../../support/memory-store.ts';
import type { RunRecord, Trace } from '../trace/trace.ts';
import type { Process } from '../world/process.ts';
import type { SimulatedService } from '../world/service.ts';

/** The common part of the ports of all runs. */
export interface Backend {
  readonly store: MemoryStore;
  readonly quarantine: MemoryQuarantine;
}

/** The environment of one run's ports. */
export interface PortsOptions {
  readonly process: Process;
  readonly record: RunRecord;
  readonly trace: Trace;
  readonly service: SimulatedService;
  readonly requestsPerRun: number;
  /** Maximum age of the feeds that a run loads, in milliseconds. */
  readonly staleMs: number;
  readonly backend: Backend;
  readonly luck: Random;
  /** Whether the table throttles a call. */
  readonly isThrottled: () => boolean;
}

/** Splits a batch into two calls, as a large page takes many. */
export function inTwo<T>(all: readonly T[]): (readonly T[])[] {
  const middle = Math.ceil(all.length / 2);
  return [all.slice(0, middle), all.slice(middle)].filter(({ length }) => length > 0);
}
