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
      const { subject, sequence, type } = event;
      const { feedId: id, key } = placeOf(subject);
      // A run that had loaded a state before the table lost it tells it.
      const isLost = prior === undefined && chronicle.lostStates.has(`${id} ${key}`);
      if (!isLost && (prior === undefined || toFixedWidth(prior.sequence) !== sequence))
        yield `${subject}: ${type} of ${sequence} was replayed, known is ${prior?.sequence}`;
      const time = prior?.inferred === undefined ? sequence : toFixedWidth(prior.inferred);
      const { placed } = chronicle.replays;
      const isReplayed = placed.some((each) => concerns(each, id, time));
      if (!isReplayed) yield `${subject}: nobody ordered ${type} of ${sequence} again`;
    }
  },

  function* aReplayThatIsCarriedOutOmitsNothing({ chronicle, history }) {
    // What is too large to keep cannot be told again; a view that is behind may lack a new list.
    if (history.maxItemBytes !== undefined || history.limits.staleMs > 0) return;
    yield* chronicle.replays.omitted;
  },

  function* everyReplayIsCarriedOutInTheEnd({ chronicle }) {
    for (const [list] of chronicle.replays.left) yield `the replay of ${list} is not done`;
  },

  function* aReplayRepeatsAnEventOnlyAfterAFault({ chronicle, history, faults }) {
    // A topic that accepts a half of everything is asked again by each run.
    if (history.limits.outage !== 'none') return;
    const { placed, deliveries } = chronicle.replays;
    const accepted = deliveries.filter(({ isQuarantined }) => !isQuarantined);
    for (const [id, same] of Map.groupBy(accepted, ({ event }) => event.id)) {
      if (same.length > placed.length + faults) yield `${id} was replayed ${same.length} times`;
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
