import { inspect, isDeepStrictEqual } from 'node:util';
import { decodeEvent } from '../../../functions/core/model/entity-state.ts';
import type { JsonObject } from '../../../functions/core/model/entity.ts';
import { toFixedWidth } from '../../../functions/core/model/timestamp.ts';
import type { Chronicle } from '../chronicle.ts';
import { describe, isState, latestDeliveries, withoutVolatileParts } from '../deliveries.ts';
import type { Delivery } from '../delivery.ts';
import { differences, isSameAccount, told, actionFor } from '../expected.ts';
import { isDeletedLongAgo, isOfGone, isOfReturned, isPendingDelete } from '../gone.ts';
import { hasLosses, type History } from '../history/history.ts';
import { latestStates, type FinalState } from '../latest.ts';
import { happenedIn, isAmbiguous, parentOf, rowsBySubject } from '../nested-truth.ts';
import { placeOf } from '../places.ts';
import { isLearnedInSilence } from '../silence.ts';
import type { Outcome } from '../world.ts';
import type { Promised } from './promised.ts';

/** Which events there are, and which there are not. */
export const EVENT_PROMISES: readonly Promised[] = [
  function* everyEntitysLatestStateWasPublished(outcome) {
    const { chronicle, history } = outcome;
    const latest = latestDeliveries(chronicle.deliveries);
    for (const state of latestStates(outcome)) {
      if (state.broken !== undefined) continue;
      const delivery = latest.get(state.subject);
      if (delivery === undefined) {
        if (isLearnedInSilence(state, outcome) || isGoneForLong(state, outcome)) continue;
        // Its content was too large to keep beside its event, and a run died.
        if (state.isUntold && history.maxItemBytes !== undefined) continue;
        yield `${state.subject} ${describe(state)}, and nothing was published`;
      } else if (!isState(delivery.event, state)) {
        if (isGoneForLong(state, outcome)) continue;
        const { type, sequence } = delivery.event;
        yield `${state.subject} ${describe(state)}, but the last event is ${type} of ${sequence}`;
      }
    }
  },

  function* everyEventTellsAChangeThatHappened(outcome) {
    const { chronicle, site, history } = outcome;
    const rows = rowsBySubject(site);
    for (const delivery of chronicle.sound) {
      const { event, prior } = delivery;
      const { subject, sequence, data, accountid } = event;
      const isAsShown = accountid === JSON.stringify(site.account);
      if (!isAsShown && !isCut(event, history)) yield `${subject} has account ${accountid}`;
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
      if (isOfGone(event) || isPendingDelete(delivery)) continue;
      if (isOfReturned(delivery, row)) continue;
      if (!wasShown) {
        yield `${subject} was never as ${event.type} of ${sequence} shows it`;
        // What is unpublished was saved ahead of its event.
      } else if (prior && !prior.unpublished && toFixedWidth(prior.version) >= sequence) {
        yield `${subject}: ${event.type} of ${sequence}, but ${prior.version} was saved already`;
      }
    }
  },

  function* everyEventHasTheRightActionFieldsAndOldValues({ chronicle, history }) {
    const deleted = new Set<string>();
    for (const { event, prior, run } of chronicle.sound) {
      const { subject, data } = event;
      const action = event.type.split('.')[1];
      if (action === 'deleted') deleted.add(`${run} ${subject}`);
      // What is unpublished is published as it was saved.
      if (prior?.unpublished !== undefined) {
        const { action: saved } = decodeEvent(prior.event ?? '') ?? {};
        if (saved === action) continue;
        // One that is back is deleted first, unless the topic refuses that.
        if ([deleted, chronicle.refused].some((told) => told.has(`${run} ${subject}`))) continue;
        yield `${subject}: saved as ${saved}, published as ${event.type}`;
        continue;
      }
      const isMissing = action === 'deleted' && !data.object.deleted_at;
      const word = actionFor(prior, isMissing || data.object.deleted_at !== null);
      if (word !== action) yield `${subject}: ${event.type} should be ${word}`;
      // What was too large to keep has no old values.
      if (history.maxItemBytes && data.previous === undefined) continue;
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
    for (const delivery of chronicle.sound) {
      const { event, prior } = delivery;
      const change = `${event.subject} ${event.sequence}`;
      // After a run that died unsaved, an older copy may be compared first, or a delete told: see the guarantees.
      const isOnOtherBasis = basis.has(change) && basis.get(change) !== prior?.sequence;
      basis.set(change, prior?.sequence);
      const row = rows.get(event.subject);
      // One that is back after its delete was told may repeat the sequence that a run could not save.
      const isBack = row !== undefined && isOfReturned(delivery, row);
      if ((history.service.lagMs > 0 || isBack) && isOnOtherBasis) {
        ids.set(change, event.id);
        // From here on, repeats are equal to what is told on this basis.
        contents.delete(event.id);
        continue;
      }
      if (isAmbiguous(rows, event)) continue;
      const { previous, changed, ...kept } = withoutVolatileParts(event);
      // Old values may be too large to keep for a repeat, and so may what is deleted.
      const { object: _, ...told } = kept;
      if (event.type === 'project.deleted') delete told['accountid'];
      const cut = event.type.endsWith('.deleted') ? told : kept;
      const content = history.maxItemBytes ? cut : { ...kept, previous, changed };
      const earlier = contents.get(event.id) ?? content;
      contents.set(event.id, earlier);
      if (!isDeepStrictEqual(earlier, content)) {
        yield `${event.subject}: ${event.id} was first ${JSON.stringify(earlier)}, then ${JSON.stringify(content)}`;
      }
      if ((ids.get(change) ?? event.id) !== event.id) yield `${change} has more ids than one`;
      ids.set(change, event.id);
    }
  },

  function* anEntitysSequenceNeverStepsBackAmongFirstDeliveries(outcome) {
    const { chronicle, history, site } = outcome;
    const rows = rowsBySubject(site);
    const last = new Map<string, string>();
    const seen = new Set<string>();
    for (const delivery of chronicle.sound) {
      const { event, prior, isQuarantined } = delivery;
      if (isQuarantined || seen.has(event.id) || isAmbiguous(rows, event)) continue;
      const before = last.get(event.subject);
      seen.add(event.id);
      if (before !== undefined && event.sequence <= before) {
        // One that the topic had refused, and the quarantine could not keep, is told late: see the guarantees.
        if (chronicle.wasRefused(event.subject)) continue;
        // After a run that died unsaved, an older copy may be compared first: see the guarantees.
        const isUnsaved = prior === undefined || toFixedWidth(prior.version) < before;
        if (history.service.lagMs > 0 && isUnsaved) continue;
        // It vanished without a trace, and what was published of it before was not saved: limit 8.
        if (isUnsaved && rows.get(event.subject)?.destroyedAt !== undefined) continue;
        yield `${event.subject}: ${event.type} of ${event.sequence} came after ${before}`;
      }
      last.set(event.subject, event.sequence);
    }
  },

  function* anEventIsRepeatedOnlyAfterAFault({ chronicle, history, faults }) {
    const conflicts = history.limits.staleMs > 0 ? chronicle.runs.length : 0;
    for (const [id, times] of timesPublished(chronicle)) {
      const minutes = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 60_000;
      // A reconciliation tries as often as polling does.
      const triers = hasLosses(history) ? 2 : 1;
      // Each time the service itself fails in between, the back-off begins anew.
      const hasFlaps = [...history.outages].some(({ how }) => how === 'flaps');
      // And each time a smaller page, after one that was too slow, succeeds before the one that fails.
      const failsBetween = hasFlaps || history.splitOutage !== undefined;
      const backoffs = failsBetween ? 2 : 1;
      const hasTopicOutage = history.limits.outage === 'topic';
      const tries = hasTopicOutage ? triers * backoffs * mostTriesWithin(minutes) : 0;
      const jobTries = hasLosses(history) ? 3 : 0;
      const most = 1 + tries + jobTries + faults + conflicts + chronicle.retries;
      if (times.length > most) yield `${id} was published ${times.length} times, not ${most}`;
    }
  },

  function* nothingOfTheBaselineLeaks({ chronicle }) {
    for (const { event, prior, inBaseline } of chronicle.sound) {
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
];

/** Whether an entity is unknown, and was deleted so long ago that nobody is told of it any more. */
function isGoneForLong({ subject, objects }: FinalState, outcome: Outcome): boolean {
  const { feedId, key } = placeOf(subject);
  if (outcome.chronicle.state(feedId, key) !== undefined) return false;
  return objects.some((object) => object !== undefined && isDeletedLongAgo(object, outcome));
}

/** Whether it tells a project that went without a trace, and its content was too large to keep. */
function isCut({ type, data, accountid }: Delivery['event'], { maxItemBytes }: History): boolean {
  const isBare = Object.keys(data.object).join() === 'id' && accountid === undefined;
  return type === 'project.deleted' && isBare && maxItemBytes !== undefined;
}

/** A topic that accepts a part of a page is asked again at once, after 1 minute, 2, 4, and every 5. */
function mostTriesWithin(minutes: number): number {
  const increasing = [0, 0, 1, 3, 7].filter((after) => after <= minutes);
  return increasing.length + Math.max(0, Math.floor((minutes - 7) / 5));
}

/** When each event was accepted by the topic, by its id. */
function timesPublished({ sound, runs }: Chronicle): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (const delivery of sound) {
    const { event, run, isQuarantined } = delivery;
    if (isQuarantined) continue;
    times.set(event.id, [...(times.get(event.id) ?? []), runs[run]?.startedAt ?? 0]);
  }
  return times;
}
