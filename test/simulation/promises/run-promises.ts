import { inspect } from 'node:util';
import { ProtocolError } from '../../../functions/core/model/errors.ts';
import { shortageOf } from '../history/history.ts';
import { fastPageOf, hasSlowTie, perPageOf, strangersOf } from '../memory.ts';
import { isExpected } from '../ports/injected-failure.ts';
import type { List } from '../truth.ts';
import type { Outcome } from '../world.ts';
import type { Promised } from './promised.ts';

const DAY_MS = 86_400_000;

/** How runs end, and what they cost. */
export const RUN_PROMISES: readonly Promised[] = [
  function* aRunEndsInItsTimeAndNeverLoops({ chronicle, history }) {
    const isSlow = history.steps.some(
      ({ act }) =>
        act.kind === 'freeze' || (act.kind === 'tick' && act.faults.some((f) => f.how === 'slow')),
    );
    const isHindered = isSlow || history.throttling !== undefined;
    for (const run of chronicle.runs) {
      if (run.timedOut && !isHindered) yield `run ${run.n} did not stop in its time`;
      if (run.requests > (history.pollEverySeconds === undefined ? 500 : 1_000))
        yield `run ${run.n} made ${run.requests} requests`;
    }
  },

  function* noListThatGoesOnIsTakenForALoop({ chronicle }) {
    for (const { n, telemetry } of chronicle.runs) {
      for (const { error } of telemetry.logs) {
        // Answers that a fault broke are others.
        const isLoop = error instanceof ProtocolError && error.message.includes('does not go on');
        if (isLoop) yield `run ${n} gave up a list: ${error.message}`;
      }
    }
  },

  function* anOutageOfTheServiceDelaysNoListLongerThanItself({ chronicle }) {
    for (const id of chronicle.delayedByOutage) yield `${id} still waits after an outage`;
  },

  function* anOutageOfTheServiceIsNoticed({ chronicle }) {
    for (const n of chronicle.unaware) yield `run ${n} did not notice an outage`;
  },

  function* aListIsPolledWhenItIsDueWhateverOthersDo({ chronicle }) {
    for (const id of chronicle.neglected) yield `${id} was due, and not polled`;
  },

  function* aPausedListIsNotPolled({ chronicle }) {
    for (const id of chronicle.polledWhilePaused) yield `${id} was paused, and polled`;
  },

  function* aRunFailsOnlyByAnInjectedFault({ chronicle }) {
    for (const { n, error } of chronicle.runs) {
      if (error !== undefined && !isExpected(error)) yield `run ${n} failed with ${inspect(error)}`;
    }
  },

  function* inTheEndARunIsWhole(outcome) {
    for (const { summary, error } of outcome.chronicle.lastRuns) {
      const { leaseHeld = true, stoppedEarly = true } = summary ?? {};
      const waiting = failingLists(outcome).length;
      // Where requests are short, some lists are left to the next run.
      const isShort = shortageOf(outcome.history) !== undefined;
      const isCut = stoppedEarly && !isShort;
      // A list without an entity that we may see is read from its start by each poll: every other one is too slow.
      const slowCount = outcome.history.slowStart ? 1 : 0;
      if (leaseHeld || isCut || waiting > listsWithSlowTie(outcome) + slowCount) {
        yield `the last run ended with ${inspect(summary)} ${inspect(error)}`;
      }
    }
  },

  function* aQuietServiceCostsNothingButItsRequests(outcome) {
    const { chronicle, history, site, service, endedAt } = outcome;
    // Without a project at the end of the list the cursor stays before those of others.
    const hasProject = site.projects.visible(endedAt).length > 0;
    if (strangersOf(history) > 0 && !hasProject) return;
    const clock = new Date(service.clockAt(endedAt)).toISOString();
    const isCostly = (list: List): boolean =>
      list.hasStampAfter(clock) ||
      list.mostNearOneStamp >= Math.min(perPageOf(history), fastPageOf(history)) ||
      list.rows.some(({ broken, brokenItem }) => (broken ?? brokenItem) !== undefined);
    const startedAt = Math.min(...chronicle.lastRuns.map((run) => run.startedAt));
    // A refused list is tried again now and then, and one of a deleted project read each day.
    const isRetried = ({ path }: List): boolean => {
      const { wait, parked } = chronicle.feed(path.slice(1)) ?? {};
      return wait !== undefined || (parked?.until ?? 0) >= startedAt + DAY_MS;
    };
    if (site.all.some(({ list }) => isRetried(list))) return;
    const lists = [site.projects, ...site.all.map(({ list }) => list)];
    if (lists.some((list) => isCostly(list))) return;
    for (const { tableCalls, requests, summary } of chronicle.lastRuns) {
      if (tableCalls.length > 0) yield `the last run called ${tableCalls.join(', ')}`;
      if (requests !== summary?.polled) {
        yield `the last run made ${requests} requests for ${summary?.polled} feeds`;
      }
    }
  },

  function* everyCallKeepsTheRulesOfItsPort({ chronicle }) {
    yield* chronicle.violations;
  },
];

/** Lists that wait although the service shows them. */
function failingLists({ site, chronicle }: Outcome): readonly List[] {
  const lists = [site.projects, ...site.all.map(({ list }) => list)];
  return lists.filter(({ path }) => {
    const { wait, parked } = chronicle.feed(path.slice(1)) ?? {};
    return wait !== undefined && !wait.isRefused && parked === undefined;
  });
}

/** Lists that may fail: two of three polls of a tie that is too slow do. */
function listsWithSlowTie({ history, site }: Outcome): number {
  const lists = [site.projects, ...site.all.map(({ list }) => list)];
  return lists.filter((list) => hasSlowTie(list, history)).length;
}
