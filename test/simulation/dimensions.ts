import type { Act } from './history/acts.ts';
import { datesAtFirst, shortageOf, type History } from './history/history.ts';
import { isBusyAfterSlow } from './memory.ts';

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
    const hangs = history.hangsLong ? 'hangs long, many lists,' : 'hangs';
    yield `outage ${isHanging ? hangs : how} for ${minutes} min`;
  }
  yield `invalid items ${invalidItems}`;
  yield `nested items in a group ${history.groupSize}`;
  if (history.lostItems.length > 0) yield 'lost items';
  if (history.itemsAheadMs > 0) yield `items are stamped ${history.itemsAheadMs} ms ahead`;
  if (history.lateAnswers.length > 0) yield 'late answers';
  const { splitOutage, fastHost, throttling, undatedStarts, maxItemBytes } = history;
  if (splitOutage) yield history.failsSlowly ? 'split outage, slow failures' : 'split outage';
  if (fastHost) yield `host ahead, at ${fastHost.atMinute}`;
  if (throttling) yield `table throttles ${throttling.share} for ${throttling.ms} ms`;
  for (const { shardCount } of history.deployments) yield `deployed with ${shardCount} shards`;
  if (history.limitedList) {
    const when = history.limitsAfterOutage ? ', after an outage' : '';
    const allows = history.limitAllows > 0 ? ` after ${history.limitAllows} requests` : '';
    const { limits429, limitedList } = history;
    yield `${limits429} limited for ${limitedList.retryAfterMinutes} min${allows}${when}`;
  }
  const { resourceOutage } = history;
  if (resourceOutage) {
    const { resource, withProjects, retryAfterMinutes } = resourceOutage;
    const lists = withProjects ? `${resource} and projects` : resource;
    yield `${lists} fail, Retry-After ${retryAfterMinutes} min`;
  }
  if (history.slowStart) yield 'slow start';
  if (isBusyAfterSlow(history) && service.slowAbove < 1_000)
    yield 'busy with pages that were too slow';
  if (history.slowBetween && service.slowAbove < 1_000) yield 'pages are slow between two sizes';
  if (service.dates === 'never' && datesAtFirst(history) > 0) yield 'dates end';
  if (undatedStarts) yield `first ${undatedStarts.answers} answers without a Date`;
  if (history.lastPageCursor) yield `last pages have the cursor ${history.lastPageCursor}`;
  if (maxItemBytes) yield `states of ${maxItemBytes} bytes are cut`;
  const { retention } = history;
  if (retention) yield `retention, expired states deleted ${retention.deletes}`;
  for (const { name, scope } of history.orders) yield `order ${name} ${scope}`;
  const { destruction } = history;
  if (destruction) yield 'loss: destroy project';
  if (destruction?.returnsBeforeStep !== undefined) yield 'a destroyed project returns';
  if (history.slowOrders) yield `orders are deleted after ${history.slowOrders.ms} ms`;
  if (history.shortAbsence) yield 'short absence';
  if (history.pollEverySeconds) yield `sweeps every ${history.pollEverySeconds} s`;
  if (history.longerLookback) yield 'the lookback becomes longer';
  const shortage = shortageOf(history);
  if (shortage) {
    const longer = shortage.looksBackLonger ? ', with a longer lookback' : '';
    yield `requests are short in the end, ${shortage.requestsPerRun} a run${longer}`;
  }
  if (history.selection) yield 'projects are selected by name';
  if (retention && history.returnsLate) yield 'what was forgotten returns';
  for (const { what } of history.losses) yield `loss: ${what}`;
  for (const { name } of history.repairs) yield `order ${name}`;
  for (const { scope } of history.replays) yield `replay ${scope}`;
  for (const { act } of steps) yield* dimensionsOfAct(act);
}

function* dimensionsOfAct(act: Act): Iterable<string> {
  yield act.kind === 'change' ? `change ${act.what}` : `act ${act.kind}`;
  if (act.kind !== 'tick') return;
  for (const { port, how } of act.faults) yield `fault ${port} ${how}`;
  if (act.againAfterMs > 0) yield 'act overlapping runs';
}
