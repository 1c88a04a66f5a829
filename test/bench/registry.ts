import type { Bench, Row } from './bench.ts';
import { calls } from './calls.ts';
import { coldStart } from './cold-start.ts';
import { cost } from './cost.ts';
import { cpuChanged, cpuUnchanged } from './cpu.ts';
import { freshness } from './fresh.ts';
import { idle } from './idle.ts';
import { memory } from './memory.ts';
import { pageChain } from './page-chain.ts';
import { shards } from './shards.ts';
import { status } from './status.ts';
import { webhookDrain } from './webhook-drain.ts';

/** All measurements, in the order in which they are made and printed. */
export const BENCHES: readonly Bench[] = [
  pageChain,
  cpuChanged,
  cpuUnchanged,
  calls,
  memory,
  idle,
  shards,
  freshness,
  status,
  webhookDrain,
  coldStart,
  cost,
];

/** A figure, and whether it meets its goal. */
export interface Result {
  readonly row: Row;
  readonly figure: number;
  readonly isMet: boolean;
}

/** Judges the figures of a measurement, in the order of its rows. */
export function judged(bench: Bench, figures: Readonly<Record<string, number>>): Result[] {
  return bench.rows.map((row) => {
    const figure = figures[row.key];
    if (figure === undefined) throw new TypeError(`${bench.name} yields no ${row.key}`);
    return { row, figure, isMet: figure <= row.goal };
  });
}
