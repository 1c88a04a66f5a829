import { shortageOf, type History } from './history/history.ts';
import { Scripts } from './scripts.ts';
import { World, type Outcome, type SimulationOptions } from './world.ts';

/** Runs a history, and then whole runs on a service without faults. */
export async function simulate(
  history: History,
  options: SimulationOptions = {},
): Promise<Outcome> {
  const world = new World(history, options);
  const scripts = new Scripts(world);
  for (const [n, { afterMs, act }] of history.steps.entries()) {
    const isNext = ({ beforeStep }: { readonly beforeStep: number }): boolean =>
      beforeStep % history.steps.length === n;
    for (const outage of history.outages) if (isNext(outage)) await scripts.outage(outage);
    for (const loss of history.losses) if (isNext(loss)) await world.losses.happen(loss);
    const { destruction } = history;
    if (destruction && isNext(destruction)) world.losses.destroyProject(destruction);
    const { returnsBeforeStep } = destruction ?? {};
    if (returnsBeforeStep !== undefined && isNext({ beforeStep: returnsBeforeStep }))
      world.losses.returnProject();
    const shortage = shortageOf(history);
    if (shortage && isNext(shortage)) world.runShort(shortage);
    for (const each of history.deployments) if (isNext(each)) world.fleet.deploy(each);
    for (const order of history.orders)
      if (isNext(order)) await world.operator.change(order, world.time.now);
    for (const each of history.repairs)
      if (isNext(each)) await world.operator.retryQuarantine(world.time.now);
    for (const replay of history.replays)
      if (isNext(replay)) await world.operator.replay(replay, world.time.now);
    const { splitOutage, throttling } = history;
    if (splitOutage && isNext(splitOutage)) await scripts.splitOutage(splitOutage);
    const { resourceOutage } = history;
    if (resourceOutage && isNext(resourceOutage)) await scripts.failResource(resourceOutage);
    const { retention } = history;
    for (const beforeStep of retention?.beforeSteps ?? []) {
      if (retention && isNext({ beforeStep })) await scripts.passRetention(retention);
    }
    if (throttling && isNext(throttling)) world.throttle(throttling);
    await world.wait(afterMs);
    world.callsBeforeSteps.push(world.machine.calls);
    world.do(act);
  }
  await world.calmDown();
  return world.outcome();
}
