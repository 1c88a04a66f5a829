import type { Act } from './history/acts.ts';
import { shortageOf, type History } from './history/history.ts';

/** How many histories had each value of each dimension, such as `service.filter >=`. */
export type DimensionCounts = Record<string, number>;

/** Adds the values of one history: its traits, and the kinds of what happens in it. */
export function countDimensions(history: History, counts: DimensionCounts): void {
  for (const value of new Set(dimensionsOf(history))) counts[value] = (counts[value] ?? 0) + 1;
}

function* dimensionsOf(history: History): Iterable<string> {
  const { service, notifier, limits, outages, steps, invalidItems } = history;
  for (const [group, traits] of Object.entries({ service, notifier, limits })) {
    for (const [trait, value] of Object.entries(traits)) yield `${group}.${trait} ${value}`;
  }
  for (const { how, minutes } of outages) {
    const isHanging = history.hangs && how === 'is down';
    yield `outage ${isHanging ? 'hangs' : how} for ${minutes} min`;
  }
  yield `invalid items ${invalidItems}`;
  yield `nested items in a group ${history.groupSize}`;
  const { splitOutage, throttling, maxItemBytes } = history;
  if (splitOutage) yield history.failsSlowly ? 'split outage, slow failures' : 'split outage';
  if (throttling) yield `table throttles ${throttling.share} for ${throttling.ms} ms`;
  for (const { shardCount } of history.deployments) yield `deployed with ${shardCount} shards`;
  const { resourceOutage } = history;
  if (resourceOutage) {
    const { resource, withProjects, retryAfterMinutes } = resourceOutage;
    const lists = withProjects ? `${resource} and projects` : resource;
    yield `${lists} fail, Retry-After ${retryAfterMinutes} min`;
  }
  if (history.slowStart) yield 'slow start';
  if (history.lastPageCursor) yield `last pages have the cursor ${history.lastPageCursor}`;
  if (maxItemBytes) yield `states of ${maxItemBytes} bytes are cut`;
  if (history.retention) yield `retention of ${history.retention.hours} hours`;
  for (const { name, scope } of history.orders) yield `order ${name} ${scope}`;
  const { destruction } = history;
  if (destruction) yield 'loss: destroy project';
  if (destruction?.returnsBeforeStep !== undefined) yield 'a destroyed project returns';
  if (history.pollEverySeconds) yield `sweeps every ${history.pollEverySeconds} s`;
  const shortage = shortageOf(history);
  if (shortage) yield `requests are short in the end, ${shortage.requestsPerRun} a run`;
  for (const { what } of history.losses) yield `loss: ${what}`;
  for (const { isRefusing } of history.repairs) {
    yield 'retry of the quarantine';
    if (isRefusing) yield 'events are refused';
  }
  for (const { scope } of history.replays) yield `replay ${scope}`;
  for (const { act } of steps) yield* dimensionsOfAct(act);
}

function* dimensionsOfAct(act: Act): Iterable<string> {
  yield act.kind === 'change' ? `change ${act.what}` : `act ${act.kind}`;
  if (act.kind !== 'tick') return;
  for (const { port, how } of act.faults) yield `fault ${port} ${how}`;
  if (act.againAfterMs > 0) yield 'act overlapping runs';
}
