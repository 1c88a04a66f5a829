import { inspect, isDeepStrictEqual } from 'node:util';
import type { QuarantinedItem } from '../../../functions/core/ports/quarantine.ts';
import { isExpected } from '../ports/injected-failure.ts';
import type { List, ProjectRows } from '../world/truth.ts';
import type { Outcome } from '../world/world.ts';
import { readableLists } from './latest-states.ts';

const DAY_MS = 86_400_000;
const MAX_REQUESTS = 1_000;

export function* runsEndInTime({ trace, history }: Outcome) {
  const isSlow = history.steps.some(
    ({ act }) =>
      act.kind === 'freeze' || (act.kind === 'tick' && act.faults.some((f) => f.how === 'slow')),
  );
  const isHindered = isSlow || history.throttling.length > 0;
  for (const { n, timedOut, requests } of trace.runs) {
    if (timedOut && !isHindered) yield `run ${n} did not stop in its time`;
    if (requests > MAX_REQUESTS) yield `run ${n} made ${requests} requests`;
  }
}

/** Promise 6: a run fails by faults of topic, table or token alone. */
export function* runsFailByFaults({ trace }: Outcome) {
  for (const { n, error } of trace.runs)
    if (error !== undefined && !isExpected(error)) yield `run ${n} failed with ${inspect(error)}`;
}

export function* lastRunIsWhole({ trace, site }: Outcome) {
  for (const { summary, error } of trace.lastRuns) {
    const { leaseHeld = true, stoppedEarly = true } = summary ?? {};
    if (leaseHeld || stoppedEarly) yield `the last run: ${inspect(summary)} ${inspect(error)}`;
  }
  for (const { feedId } of site.lists) {
    const { wait, parked } = trace.feed(feedId) ?? {};
    if (wait && !wait.isRefused && !parked) yield `${feedId} still waits: ${wait.cause}`;
  }
}

/** One run at a time has a partition, and no cursor goes back. */
export function* leasesAndCursorsHold({ trace }: Outcome) {
  yield* trace.violations;
}

export function* outageDelaysNoList({ delayed }: Outcome) {
  for (const id of delayed) yield `${id} still waits after an outage`;
}

export function* outageIsNoticed({ unaware }: Outcome) {
  for (const n of unaware) yield `run ${n} did not notice an outage`;
}

export function* failingListBacksOff({ hasty }: Outcome) {
  for (const list of hasty) yield list;
}

export function* dueListIsPolled({ neglected }: Outcome) {
  for (const id of neglected) yield `${id} was due, and not polled`;
}

export function* pausedListIsNotPolled({ polledWhilePaused }: Outcome) {
  for (const id of polledWhilePaused) yield `${id} was paused, and polled`;
}

/** Quiet feeds are free: a run costs one request a list, and no call of the table. */
export function* quietRunIsFree({ trace, history, site, service, endedAt }: Outcome) {
  // Without a project at the end of the list the cursor stays before those of others.
  if (history.service.strangers > 0 && site.projects.visible(endedAt).length === 0) return;
  const clock = new Date(service.clockAt(endedAt)).toISOString();
  const isCostly = (list: List): boolean =>
    list.rows.some(({ newest, broken }) => newest.stamp > clock || broken !== undefined) ||
    mostNearOneStamp(list) >= history.notifier.perPage;
  const startedAt = Math.min(...trace.lastRuns.map((run) => run.startedAt));
  // A refused list is tried again now and then, and one of a deleted project read each day.
  const isRetried = ({ feedId }: List): boolean => {
    const { wait, parked } = trace.feed(feedId) ?? {};
    return wait !== undefined || (parked?.until ?? 0) >= startedAt + DAY_MS;
  };
  if (site.lists.some((list) => isCostly(list) || isRetried(list))) return;
  // A run that died while it added the feeds of a project, which was then hidden: each run looks
  // whether the mirror has that project.
  const hasFeed = ({ feedId }: List) => trace.feed(feedId) !== undefined;
  const isHalfAdded = ({ floorplans, checklists }: ProjectRows) =>
    hasFeed(floorplans) !== hasFeed(checklists);
  if ([...site.byProject.values()].some(isHalfAdded)) return;
  for (const { tableCalls, requests, summary } of trace.lastRuns) {
    if (tableCalls.length > 0) yield `the last run called ${tableCalls.join(', ')}`;
    if (requests !== summary?.polled)
      yield `the last run made ${requests} requests for ${summary?.polled} feeds`;
  }
}

/** How many rows have their latest version within two milliseconds, at the most. */
function mostNearOneStamp({ kept }: List): number {
  const times = kept.map(({ newest }) => Date.parse(newest.stamp));
  const nearTo = (time: number) => times.filter((other) => Math.abs(other - time) <= 1).length;
  return Math.max(0, ...times.map(nearTo));
}

/** Promise 7: an entity that cannot be read is in the quarantine, once. */
export function* invalidEntityIsQuarantinedOnce(outcome: Outcome) {
  const { quarantined, retried, retries } = outcome.trace;
  const isOf = (broken: unknown) => (item: QuarantinedItem) =>
    isDeepStrictEqual(item.value, broken);
  for (const list of readableLists(outcome)) {
    for (const { broken, id, destroyedAt } of list.rows) {
      if (broken === undefined || destroyedAt < Infinity) continue;
      const items = quarantined.filter(isOf(broken));
      if (items.every((item) => retried.has(item))) yield `${id} is not in the quarantine`;
      if (items.length > 1 + retries) yield `${id} was quarantined ${items.length} times`;
    }
  }
}
