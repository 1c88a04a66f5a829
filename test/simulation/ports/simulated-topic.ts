import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import { PublishFailedError } from '../../../functions/core/model/errors.ts';
import type { EventTopic, RefusedEvent } from '../../../functions/core/ports/event-topic.ts';
import { shuffle } from '../world/shuffle.ts';
import { inTwo, type PortsOptions } from './ports-options.ts';

/** Milliseconds that a call of the topic usually takes. */
const USUAL_MS = 20;

/** The topic: records accepted events. */
export function simulatedTopic({ process, record, trace, luck }: PortsOptions): EventTopic {
  const accept = (events: readonly ChangeEvent[]): readonly RefusedEvent[] => {
    trace.leases.changedBy(`run-${record.n}`, process.clock.now(), 'publish');
    for (const event of events) trace.delivered(event, record.n, false);
    return [];
  };
  const send = (events: readonly ChangeEvent[]) => {
    const keys = [...new Set(events.map((event) => event.partitionkey))];
    const half = () => {
      const some = shuffle(keys, luck).slice(0, keys.length / 2);
      return accept(events.filter((event) => some.includes(event.partitionkey)));
    };
    const refuseFirst = (): readonly RefusedEvent[] => {
      const [first, ...rest] = events;
      accept(rest);
      if (first === undefined) return [];
      trace.refused.add(first.subject);
      return [{ event: first, reason: 'made to be refused' }];
    };
    return process.call('topic', {
      whole: () => accept(events),
      ...(keys.length > 1 && { half }),
      failure: () => new PublishFailedError('throttled', { hint: 'Wait.' }),
      refusal: refuseFirst,
      usualMs: USUAL_MS,
    });
  };
  return {
    async publish(all) {
      const refused: RefusedEvent[] = [];
      for (const events of inTwo(all)) refused.push(...(await send(events)));
      return refused;
    },
  };
}
