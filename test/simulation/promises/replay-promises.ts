import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../functions/core/model/entity.ts';
import { toFixedWidth } from '../../../functions/core/model/timestamp.ts';
import { withoutVolatileParts } from '../deliveries.ts';
import type { Delivery } from '../delivery.ts';
import { placeOf } from '../places.ts';
import { concerns } from '../replays.ts';
import type { Promised } from './promised.ts';

/** What a replay tells. */
export const REPLAY_PROMISES: readonly Promised[] = [
  function* aReplayTellsWhatWasToldBeforeByIdAndContent({ chronicle }) {
    // A run that had loaded a state before the table lost it may save it again.
    const keyOfTold = (delivery: Delivery): string => {
      const { feedId, key } = placeOf(delivery.event.subject);
      return chronicle.lostStates.has(`${feedId} ${key}`) ? delivery.event.id : keyOf(delivery);
    };
    const told = Map.groupBy(
      chronicle.deliveries.map((delivery, n) => ({ n, delivery })),
      ({ delivery }) => keyOfTold(delivery),
    );
    for (const replayed of chronicle.replays.deliveries) {
      const { event, toldCount } = replayed;
      const before = (told.get(keyOfTold(replayed)) ?? []).filter(({ n }) => n < toldCount);
      if (before.length === 0) {
        yield `${event.subject}: ${event.id} (${event.type}) was not told before`;
        continue;
      }
      const content = contentOf(replayed);
      const isSame = before.some(({ delivery }) => isDeepStrictEqual(contentOf(delivery), content));
      if (!isSame) yield `${event.subject}: ${event.id} was never ${JSON.stringify(content)}`;
    }
  },

  function* aReplayTellsTheLatestStateOfTheTimeAndListsThatWereOrdered({ chronicle }) {
    for (const { event, prior } of chronicle.replays.deliveries) {
      const { subject, sequence, projectid, type } = event;
      const { feedId: id, key } = placeOf(subject);
      // A run that had loaded a state before the table lost it tells it.
      const isLost = prior === undefined && chronicle.lostStates.has(`${id} ${key}`);
      if (!isLost && (prior === undefined || toFixedWidth(prior.sequence) !== sequence))
        yield `${subject}: ${type} of ${sequence} was replayed, known is ${prior?.sequence}`;
      const feed = { id, ...(id !== 'projects' && projectid && { projectId: projectid }) };
      const { replays, retells } = chronicle;
      const time = prior?.inferred === undefined ? sequence : toFixedWidth(prior.inferred);
      const isReplayed = replays.placed.some(({ command }) => concerns(command, feed, time));
      if (!isReplayed && retells.of(event).length === 0)
        yield `${subject}: nobody ordered ${type} of ${sequence} again`;
    }
  },

  function* aReplayThatIsCarriedOutOmitsNothing({ chronicle, history }) {
    // What is too large to keep cannot be told again; a view that is behind may lack a new list.
    if (history.maxItemBytes !== undefined || history.limits.staleMs > 0) return;
    yield* chronicle.replays.omitted;
  },

  function* everyReplayIsCarriedOutInTheEnd({ chronicle }) {
    for (const [id, { size }] of chronicle.replays.left)
      if (size > 0) yield `replay ${id} is left in ${size} partitions`;
  },

  function* aReplayRepeatsAnEventOnlyAfterAFault({ chronicle, history, faults }) {
    // A topic that accepts a half of everything is asked again by each run.
    if (history.limits.outage !== 'none') return;
    const { placed, deliveries } = chronicle.replays;
    const accepted = deliveries.filter(({ isQuarantined }) => !isQuarantined);
    for (const [id, same] of Map.groupBy(accepted, ({ event }) => event.id)) {
      const retells = same[0] ? chronicle.retells.of(same[0].event) : [];
      if (same.length > placed.length + retells.length + faults)
        yield `${id} was replayed ${same.length} times`;
    }
  },

  function* anEventThatIsTriedAgainIsToldOrKept({ chronicle, history }) {
    const { deliveries, replays, retells } = chronicle;
    for (const command of retells.left) yield `command ${command} is left`;
    // What is too large to keep cannot be told again.
    if (history.maxItemBytes !== undefined) return;
    for (const { event, epoch, before } of retells.placed) {
      const { subject, sequence, type, data } = event;
      const { feedId, key } = placeOf(subject);
      const isLost = epoch !== chronicle.epoch(feedId, key);
      const isDeleted = type.endsWith('.deleted') || Boolean(data.object.deleted_at);
      if (isLost || (isDeleted && history.retention !== undefined)) continue;
      const isToldAgain = replays.deliveries
        .slice(before)
        .some((later) => later.event.subject === subject && later.event.sequence === sequence);
      const isReplaced = deliveries.some(
        (later) =>
          later.event.subject === subject &&
          later.epoch === epoch &&
          later.event.sequence > sequence,
      );
      if (!isToldAgain && !isReplaced)
        yield `${subject}: ${type} of ${sequence} was neither told again nor kept`;
    }
  },
];

function keyOf({ event, epoch }: Delivery): string {
  return `${event.id} ${epoch}`;
}

/** What a replay has as it was told first: all but the cause, and the old values. */
function contentOf({ event }: Delivery): JsonObject {
  const { cause: _, previous: __, ...content } = withoutVolatileParts(event);
  return content;
}
