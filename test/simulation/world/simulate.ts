import { hasLosses, type History } from '../history/history.ts';
import { Losses } from './losses.ts';
import type { CrashPoint } from './process.ts';
import { runOutage } from './scenarios.ts';
import { World, type Outcome } from './world.ts';

/** Runs a history, and then whole runs on a service without faults. */
export async function simulate(history: History, crashPoint?: CrashPoint): Promise<Outcome> {
  const world = new World(history, crashPoint);
  const losses = new Losses(world);
  const { steps, outages, throttling, deployments, commands } = history;
  if (history.startsAtOnce) world.tick();
  for (const [n, { afterMs, act }] of steps.entries()) {
    const due = <T extends { readonly beforeStep: number }>(all: readonly T[]): T[] =>
      all.filter(({ beforeStep }) => beforeStep % steps.length === n);
    for (const outage of due(outages)) await runOutage(outage, world);
    for (const loss of due(history.losses)) await losses.happen(loss);
    for (const each of due(deployments)) world.fleet.deploy(each);
    for (const command of due(commands)) await world.operator.send(command);
    for (const each of due(throttling)) world.host.throttle(each);
    await world.wait(afterMs);
    world.callsBeforeSteps.push(world.machine.calls);
    world.do(act);
  }
  await world.calmDown();
  if (hasLosses(history)) await losses.end();
  // Some that are stored finer than shown need a run more, and so do those a reconcile has found.
  await world.tickAfter(2, 2, 2);
  return world.outcome();
}
