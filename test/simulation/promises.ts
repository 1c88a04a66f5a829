import { inspect, isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../functions/core/model/entity.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import type { Chronicle } from './chronicle.ts';
import { describe, isState, latestDeliveries, withoutVolatileParts } from './deliveries.ts';
import { differences, isSameAccount, told, actionFor } from './expected.ts';
import { latestStates, readableLists } from './latest.ts';
import { fastPageOf, hasSlowTie, largestPageOf, memoryOf, perPageOf } from './memory.ts';
import { isExpected } from './ports.ts';
import { happenedIn, isAmbiguous, parentOf, rowsBySubject } from './nested-truth.ts';
import { placeOf } from './places.ts';
import { isLearnedInSilence } from './silence.ts';
import type { Outcome } from './simulation.ts';
import type { List, Row } from './truth.ts';

/** Judges an outcome: yields a sentence for each breach. */
export type Promised = (outcome: Outcome) => Iterable<string>;

/** What Sitecast promises, one function each; its name is the promise. */
export const PROMISES: readonly Promised[] = [
  function* everyEntitysLatestStateWasPublished(outcome) {
    const { chronicle } = outcome;
    const latest = latestDeliveries(chronicle.deliveries);
    for (const state of latestStates(outcome)) {
      if (state.broken !== undefined) continue;
      const delivery = latest.get(state.subject);
      if (delivery === undefined) {
        if (isLearnedInSilence(state, outcome)) continue;
        yield `${state.subject} ${describe(state)}, and nothing was published`;
      } else if (!isState(delivery.event, state)) {
        const { type, sequence } = delivery.event;
        yield `${state.subject} ${describe(state)}, but the last event is ${type} of ${sequence}`;
      }
    }
  },

  function* everyEventTellsAChangeThatHappened({ chronicle, site, history }) {
    const rows = rowsBySubject(site);
    for (const delivery of chronicle.deliveries) {
      const { event, prior } = delivery;
      const { subject, sequence, data, accountid } = event;
      if (accountid !== JSON.stringify(site.account)) yield `${subject} has account ${accountid}`;
      const row = rows.get(subject);
      if (row === undefined) {
        if (!happenedIn(rows.get(parentOf(subject)), delivery, history))
          yield `${subject} was never ${inspect(data.object)} in its list`;
        continue;
      }
      const wasShown = row.versions.some(
        ({ stamp, object }) =>
          toFixedWidth(stamp) === sequence && isDeepStrictEqual(told(object), told(data.object)),
      );
      if (!wasShown) {
        yield `${subject} was never as ${event.type} of ${sequence} shows it`;
      } else if (prior !== undefined && toFixedWidth(prior.version) >= sequence) {
        yield `${subject}: ${event.type} of ${sequence}, but ${prior.version} was saved already`;
      }
    }
  },

  function* everyEventHasTheRightActionFieldsAndOldValues({ chronicle }) {
    for (const { event, prior } of chronicle.deliveries) {
      const { subject, data } = event;
      const action = event.type.split('.')[1];
      // An event in the outbox is published as it was written there.
      if (prior?.pendingEvent !== undefined) {
        if (prior.pendingEvent.action === action) continue;
        yield `${subject}: in the outbox as ${prior.pendingEvent.action}, published as ${event.type}`;
        continue;
      }
      const isMissing = action === 'deleted' && data.object.deleted_at === null;
      const word = actionFor(prior, isMissing || data.object.deleted_at !== null);
      if (word !== action) yield `${subject}: ${event.type} should be ${word}`;
      const expected = isMissing ? differences(undefined, {}) : differences(prior, data.object);
      if (!isSameAccount(data, expected)) {
        yield `${subject}: ${event.type} tells ${JSON.stringify([data.changed, data.previous])}, not ${JSON.stringify(expected)}`;
      }
    }
  },

  function* oneChangeHasOneIdAndOneContent({ chronicle, history, site }) {
    const rows = rowsBySubject(site);
    const contents = new Map<string, JsonObject>();
    const ids = new Map<string, string>();
    const basis = new Map<string, string | undefined>();
    for (const { event, prior } of chronicle.deliveries) {
      const change = `${event.subject} ${event.sequence}`;
      // After a run that died unsaved, an older copy may be compared first: see the guarantees.
      const isOnOtherBasis = basis.has(change) && basis.get(change) !== prior?.version;
      basis.set(change, prior?.version);
      if (history.service.lagMs > 0 && isOnOtherBasis) continue;
      if (isAmbiguous(rows, event)) continue;
      const content = withoutVolatileParts(event);
      const earlier = contents.get(event.id) ?? content;
      contents.set(event.id, earlier);
      if (!isDeepStrictEqual(earlier, content)) {
        yield `${event.subject}: ${event.id} was first ${JSON.stringify(earlier)}, then ${JSON.stringify(content)}`;
      }
      if ((ids.get(change) ?? event.id) !== event.id) yield `${change} has more ids than one`;
      ids.set(change, event.id);
    }
  },

  function* anEntitysSequenceNeverStepsBackAmongFirstDeliveries({ chronicle, history, site }) {
    const rows = rowsBySubject(site);
    const last = new Map<string, string>();
    const seen = new Set<string>();
    for (const { event, prior, isQuarantined } of chronicle.deliveries) {
      if (isQuarantined || seen.has(event.id) || isAmbiguous(rows, event)) continue;
      seen.add(event.id);
      const before = last.get(event.subject);
      if (before !== undefined && event.sequence <= before) {
        // After a run that died unsaved, an older copy may be compared first: see the guarantees.
        const isUnsaved = prior === undefined || toFixedWidth(prior.version) < before;
        if (history.service.lagMs > 0 && isUnsaved) continue;
        yield `${event.subject}: ${event.type} of ${event.sequence} came after ${before}`;
      }
      last.set(event.subject, event.sequence);
    }
  },

  function* anEventIsRepeatedOnlyAfterAFault({ chronicle, history, faults }) {
    const conflicts = history.limits.staleMs > 0 ? chronicle.runs.length : 0;
    for (const [id, times] of timesPublished(chronicle)) {
      const minutes = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 60_000;
      const tries = history.limits.outage === 'topic' ? mostTriesWithin(minutes) : 0;
      const most = 1 + tries + faults + conflicts;
      if (times.length > most) yield `${id} was published ${times.length} times, not ${most}`;
    }
  },

  function* nothingOfTheBaselineLeaks({ chronicle }) {
    for (const { event, prior, inBaseline } of chronicle.deliveries) {
      const { feedId, key } = placeOf(event.subject);
      const learned = chronicle.learned(feedId, key);
      const isKnownFromThen =
        learned?.inBaseline === 'yes' && event.sequence <= toFixedWidth(learned.version);
      if ((inBaseline === 'yes' && prior === undefined) || isKnownFromThen) {
        yield `${event.subject}: ${event.type} of ${event.sequence} was there in the baseline`;
      }
    }
  },

  function* nothingElseIsLearnedInSilence({ chronicle }) {
    for (const id of chronicle.learnedInSilence) yield `${id} was saved without an event`;
  },

  function* everyInvalidEntityIsQuarantined(outcome) {
    const { chronicle } = outcome;
    for (const state of latestStates(outcome)) {
      if (state.broken === undefined) continue;
      if (timesQuarantined(state.broken, chronicle) === 0)
        yield `${JSON.stringify(state.broken)} of ${state.subject} was not kept`;
    }
  },

  function* anInvalidEntityIsQuarantinedOnce({ chronicle, site, faults }) {
    // A run that dies after quarantining an entity does not remember it.
    if (faults > 0) return;
    for (const { broken } of site.all.flatMap(({ list }) => list.rows)) {
      if (broken === undefined) continue;
      const times = timesQuarantined(broken, chronicle);
      if (times > 1) yield `${JSON.stringify(broken)} was quarantined ${times} times`;
    }
  },

  function* moreThanTheLargestPageAtOneTimestampIsReported(outcome) {
    const { chronicle, history } = outcome;
    const reports = chronicle.runs.filter((run) => run.telemetry.counted('SaturatedTimestamp') > 0);
    for (const { n, telemetry } of reports) {
      const isNamed = telemetry.logs.some(
        ({ fields: { feed, saturatedTimestamp } }) =>
          typeof feed === 'string' && typeof saturatedTimestamp === 'string',
      );
      if (!isNamed) yield `run ${n} stepped over a timestamp without naming it`;
    }
    if (reports.length > 0) return;
    for (const list of readableLists(outcome)) {
      if (list.mostAtOneStamp <= largestPageOf(history)) continue;
      // Where times are stored finer than shown, a cursor may point between them.
      const isRead = list.rows.every((row) =>
        isLearnedSince(row.newest.stamp, row, list, chronicle),
      );
      if (history.service.shown !== 'as stored' && isRead) continue;
      yield `${list.path} has ${list.mostAtOneStamp} entities at one timestamp, and nobody was told`;
    }
  },

  function* asMuchAsTheLargestPageShowsAtOneTimestampIsLearned(outcome) {
    const { chronicle, history, site } = outcome;
    const fastPage = fastPageOf(history);
    for (const list of readableLists(outcome)) {
      const stamps = new Set(list.rows.flatMap(({ versions }) => versions.map((v) => v.stamp)));
      for (const stamp of stamps) {
        if (!site.isSaturated(list, stamp)) continue;
        // A row that moved on to another such timestamp is counted there.
        const isCountedLater = ({ versions }: Row): boolean =>
          versions.some((v) => v.stamp > stamp && site.isSaturated(list, v.stamp));
        const learned = list
          .rowsEverAt(stamp)
          .filter((row) => isCountedLater(row) || isLearnedSince(stamp, row, list, chronicle));
        if (learned.length >= fastPage) continue;
        yield `${list.path}: only ${learned.length} entities of ${stamp} were learned`;
      }
    }
  },

  function* aRunEndsInItsTimeAndNeverLoops({ chronicle, history }) {
    const isSlow = history.steps.some(
      ({ act }) =>
        act.kind === 'freeze' || (act.kind === 'tick' && act.faults.some((f) => f.how === 'slow')),
    );
    const isHindered = isSlow || history.throttling !== undefined;
    for (const run of chronicle.runs) {
      if (run.timedOut && !isHindered) yield `run ${run.n} did not stop in its time`;
      if (run.requests > 500) yield `run ${run.n} made ${run.requests} requests`;
    }
  },

  function* anOutageOfTheServiceDelaysNoListLongerThanItself({ chronicle }) {
    for (const id of chronicle.delayedByOutage) yield `${id} still waits after an outage`;
  },

  function* aListIsPolledWhenItIsDueWhateverOthersDo({ chronicle }) {
    for (const id of chronicle.neglected) yield `${id} was due, and not polled`;
  },

  function* aRunFailsOnlyByAnInjectedFault({ chronicle, history, faults }) {
    // Without a fault only a view that is behind leads to a conflict.
    const mayConflict = faults > 0 || history.limits.staleMs > 0;
    for (const { n, error } of chronicle.runs) {
      if (error !== undefined && !isExpected(error, mayConflict))
        yield `run ${n} failed with ${inspect(error)}`;
    }
  },

  function* inTheEndARunIsWhole(outcome) {
    const last = outcome.chronicle.runs.at(-1);
    const { leaseHeld = true, stoppedEarly = true, failing = Infinity } = last?.summary ?? {};
    if (leaseHeld || stoppedEarly || failing > listsWithSlowTie(outcome)) {
      yield `the last run ended with ${inspect(last?.summary)} ${inspect(last?.error)}`;
    }
  },

  function* aQuietServiceCostsNothingButItsRequests(outcome) {
    const { chronicle, history, site, service, endedAt } = outcome;
    // Without the service's clock no list is ever caught up.
    if (history.service.dates === 'never') return;
    // Without a project at the end of the list the cursor stays before those of others.
    const hasProject = site.projects.visible(endedAt).length > 0;
    if (history.service.strangers > 0 && !hasProject) return;
    const clock = new Date(service.clockAt(endedAt)).toISOString();
    const isCostly = (list: List): boolean =>
      list.hasStampAfter(clock) ||
      list.mostAtOneStamp >
        Math.min(perPageOf(history), memoryOf(history).entities, fastPageOf(history)) ||
      list.rows.some(({ broken }) => broken !== undefined);
    // A list that is refused is retried after a minute, then 2, 4 …
    const isRetried = ({ path }: List): boolean =>
      chronicle.feed(path.slice(1))?.parked === 'refused';
    if (site.all.some(({ list }) => isRetried(list))) return;
    if (isCostly(site.projects) || site.all.some(({ list }) => isCostly(list))) return;
    const { tableCalls = [], requests, summary } = chronicle.runs.at(-1) ?? {};
    if (tableCalls.length > 0) yield `the last run called ${tableCalls.join(', ')}`;
    if (requests !== summary?.polled) {
      yield `the last run made ${requests} requests for ${summary?.polled} feeds`;
    }
  },

  function* everyCallKeepsTheRulesOfItsPort({ chronicle }) {
    yield* chronicle.violations;
  },
];

/**
 * What an outcome breaks.
 *
 * @param names the promises to judge by. Default: all.
 */
export function violationsOf(outcome: Outcome, names?: readonly string[]): string[] {
  const promises = PROMISES.filter(({ name }) => names?.includes(name) ?? true);
  return promises.flatMap((promise) =>
    [...promise(outcome)].map((violation) => `${promise.name}: ${violation}`),
  );
}

/** Lists that may fail: two of three polls of a tie that is too slow do. */
function listsWithSlowTie({ history, site }: Outcome): number {
  const lists = [site.projects, ...site.all.map(({ list }) => list)];
  return lists.filter((list) => hasSlowTie(list, history)).length;
}

/** Whether an entity was saved as it was at this time or later, or quarantined. */
function isLearnedSince(stamp: string, row: Row, list: List, chronicle: Chronicle): boolean {
  if (row.broken !== undefined) return timesQuarantined(row.broken, chronicle) > 0;
  const { feedId, key } = placeOf(`${list.path}/${row.id}`);
  return (chronicle.state(feedId, key)?.version ?? '') >= stamp;
}

/**
 * A topic that accepts a part of a page is asked again at once, after 1 minute, then 2, 4, 8, and every 10.
 * No outage of the service makes that more often.
 */
function mostTriesWithin(minutes: number): number {
  const increasing = [0, 0, 1, 3, 7, 15].filter((after) => after <= minutes);
  return increasing.length + Math.max(0, Math.floor((minutes - 15) / 10));
}

/** When each event was accepted by the topic, by its id. */
function timesPublished({ deliveries, runs }: Chronicle): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (const { event, run, isQuarantined } of deliveries) {
    if (isQuarantined) continue;
    times.set(event.id, [...(times.get(event.id) ?? []), runs[run]?.startedAt ?? 0]);
  }
  return times;
}

function timesQuarantined(broken: JsonObject, { quarantined }: Chronicle): number {
  const identify = ({ id, name, updated_at }: JsonObject) => [id, name, updated_at];
  return quarantined.filter(({ value }) =>
    isDeepStrictEqual(identify((value ?? {}) as JsonObject), identify(broken)),
  ).length;
}
