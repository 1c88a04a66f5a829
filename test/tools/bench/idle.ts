import { simulateTicks, type TickUsage } from './cost/ticks.ts';
import type { Figures, Scale } from './figures.ts';

/**
 * Table and topic calls, and units, of a tick over the lists of 2,000 projects with nothing new:
 * the larger of two, with a budget for all lists and with the config's own, when a run remembers
 * which it has polled.
 */
export async function measureIdleTick(scale: Scale): Promise<Figures> {
  const projects = scale === 'full' ? 2_000 : 10;
  const idle = { projects, isActive: false, latencyMs: 1, counted: 3 };
  const ticks = [await simulateTicks({ ...idle, requestsPerMinute: 60_000 })];
  ticks.push(await simulateTicks(idle));
  const worst = (pick: (tick: TickUsage) => number): number => Math.max(...ticks.map(pick));
  return {
    idleCalls: worst(({ calls }) => calls),
    idleReadUnits: worst(({ readUnits }) => readUnits),
    idleWriteUnits: worst(({ writeUnits }) => writeUnits),
  };
}
