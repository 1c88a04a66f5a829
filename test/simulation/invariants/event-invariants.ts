import { isDeepStrictEqual } from 'node:util';
import { decodeEvent } from '../../../functions/core/model/entity-state.ts';
import { toFixedWidth } from '../../../functions/core/model/timestamp.ts';
import { hasLosses } from '../history/history.ts';
import type { Delivery } from '../trace/delivery.ts';
import { placeOf } from '../trace/place-of.ts';
import { ACCOUNT } from '../world/site.ts';
import type { Outcome } from '../world/world.ts';
import { actionFor, contentOf, differences, isSame, stable } from './expected.ts';
import { latestStates, type FinalState } from './latest-states.ts';
import { isInferredDelete, truthOf } from './truth-of.ts';

/** Promise 1. */
export function* latestStateIsPublished(outcome: Outcome) {
  const { trace } = outcome;
  const latest = new Map<string, Delivery>();
  for (const delivery of trace.deliveries) {
    const { subject, sequence } = delivery.event;
    if (sequence > (latest.get(subject)?.event.sequence ?? '')) latest.set(subject, delivery);
  }
  for (const state of latestStates(outcome)) {
    const { subject, object } = state;
    const event = latest.get(subject)?.event;
    const isPublished = event ? isState(event, state) : isSavedInSilence(state, outcome);
    if (isPublished) continue;
    const last = event ? `${event.type} of ${event.sequence}` : 'none';
    yield `${subject} is ${object ? JSON.stringify(object) : 'gone'}, its last event is ${last}`;
  }
}

/** Whether an event shows this state. */
function isState({ type, data, sequence }: Delivery['event'], { object }: FinalState): boolean {
  const isDeleted = type.endsWith('.deleted') || Boolean(data.object.deleted_at);
  if (object === undefined) return isDeleted;
  // An inferred delete is published once, even if the service later shows when it was.
  const isKnown = toFixedWidth(String(object['updated_at'])) <= sequence;
  if (isDeleted && object['deleted_at'] && !data.object.deleted_at && isKnown) return true;
  return isDeleted === Boolean(object['deleted_at']) && isSame(data.object, object);
}

/** Whether the state was saved without an event, see {@link restIsPublished}. */
function isSavedInSilence({ subject, object }: FinalState, { trace }: Outcome): boolean {
  const { feedId, key } = placeOf(subject);
  const state = trace.state(feedId, key);
  if (object === undefined) return state === undefined || state.deleted;
  return state?.version === object['updated_at'];
}

/** Promise 4: each event shows its entity as it was. */
export function* eventsShowWhatHappened({ trace, site, history }: Outcome) {
  for (const delivery of trace.deliveries) {
    const { event, prior } = delivery;
    const { subject, sequence, data, accountid, type } = event;
    if (accountid !== String(ACCOUNT)) yield `${subject} has account ${accountid}`;
    const truth = truthOf(subject, site);
    const isInferred = isInferredDelete(delivery);
    const isRestore = type.endsWith('.restored') && prior?.inferred !== undefined;
    if (!isInferred && !isRestore) {
      if (!truth.showed(data.object, sequence))
        yield `${subject} was never as ${type} of ${sequence} shows it`;
      const isKnown = prior && !prior.unpublished && toFixedWidth(prior.version) >= sequence;
      if (isKnown) yield `${subject}: ${type} of ${sequence}, saved was ${prior.version} already`;
      continue;
    }
    if (!truth.wasEver(data.object)) yield `${subject} was never as ${type} shows it`;
    // After a crash, a copy that lags may show an older list: limit 8.
    if (!truth.isNested || event.cause === 'reconcile' || history.service.lagMs > 0) continue;
    const { wentAway, cameBack } = truth.absence;
    if (!(isRestore ? cameBack : wentAway))
      yield `${subject}: ${type}, but its list never did that`;
  }
}

/** Promise 4: the type, the changed fields, and the old values. */
export function* eventsSayWhatChanged({ trace }: Outcome) {
  for (const delivery of trace.deliveries) {
    const { event, prior } = delivery;
    const { subject, data, type } = event;
    const action = type.split('.')[1];
    if (prior?.unpublished !== undefined) {
      // An unpublished state is published first, as it was saved, if the topic takes it.
      const saved = decodeEvent(prior.event ?? '')?.action;
      if (saved !== action && !trace.refused.has(subject) && prior.sequence === event.sequence)
        yield `${subject}: saved as ${saved}, published as ${type}`;
      continue;
    }
    const isInferred = isInferredDelete(delivery);
    const right = actionFor(prior, isInferred || data.object.deleted_at !== null);
    if (right !== action) yield `${subject}: ${type} should be ${right}`;
    const expected = differences(isInferred ? undefined : prior, data.object);
    if (!isDeepStrictEqual(stable(data), expected))
      yield `${subject}: ${type} has ${JSON.stringify([data, expected])}`;
  }
}

/** Promise 2: one change has one id and one content. */
export function* repeatsAreEqual({ trace, history }: Outcome) {
  const first = new Map<string, Delivery>();
  const ids = new Map<string, string>();
  for (const delivery of trace.deliveries) {
    const { event, prior } = delivery;
    const change = `${event.subject} ${event.sequence}`;
    const before = first.get(event.id) ?? delivery;
    // After a crash, a lagging copy may be compared first: limit 8.
    const isLagging = history.service.lagMs > 0 && before.prior?.sequence !== prior?.sequence;
    first.set(event.id, isLagging ? delivery : before);
    if (!isLagging && !isDeepStrictEqual(contentOf(before.event), contentOf(event)))
      yield `${event.subject}: ${event.id} was ${JSON.stringify(before.event)}, then ${JSON.stringify(event)}`;
    if ((ids.get(change) ?? event.id) !== event.id && history.service.lagMs === 0)
      yield `${change} has more ids than one`;
    ids.set(change, event.id);
  }
}

/** Promise 3. */
export function* sequenceIsMonotonic({ trace, history, site }: Outcome) {
  const last = new Map<string, string>();
  const seen = new Set<string>();
  for (const { event, prior, isQuarantined } of trace.deliveries) {
    const { subject, sequence, type, id } = event;
    if (isQuarantined || seen.has(id)) continue;
    seen.add(id);
    const before = last.get(subject);
    last.set(subject, sequence);
    if (before === undefined || sequence > before || trace.refused.has(subject)) continue;
    // After a crash between publish and save: limit 8.
    const isUnsaved = prior === undefined || toFixedWidth(prior.version) < before;
    const isOlder = history.service.lagMs > 0 || truthOf(subject, site).row.isGone;
    if (!(isUnsaved && isOlder)) yield `${subject}: ${type} of ${sequence} came after ${before}`;
  }
}

/** Promise 2: without a fault there is no repeat. */
export function* repeatsFollowFaults({ trace, history, faults }: Outcome) {
  // An older view of the feeds leads to conflicts, and a reconcile is tried three times.
  const conflicts = history.notifier.staleMs > 0 ? trace.runs.length : 0;
  const most = 1 + faults + conflicts + trace.retries + (hasLosses(history) ? 3 : 0);
  const accepted = trace.deliveries.filter(({ isQuarantined }) => !isQuarantined);
  for (const [id, { length }] of Map.groupBy(accepted, ({ event }) => event.id))
    if (length > most) yield `${id} was published ${length} times, not ${most}`;
}
