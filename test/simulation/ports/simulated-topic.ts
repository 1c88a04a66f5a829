import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import { PublishFailedError } from '../../../functions/core/model/errors.ts';
import type { EventTopic, RefusedEvent } from '../../../functions/core/ports/event-topic.ts';
import { copyExactly } from '../numbers.ts';
import { inTwo } from './in-two.ts';
import { hasOutage, type PortsOptions } from './ports-options.ts';

/** Milliseconds that a call of the topic usually takes. */
const USUAL_MS = 20;

/** The topic: records what it accepts. */
export function simulatedTopic(options: PortsOptions): EventTopic {
  const { process, record, chronicle, backend, luck } = options;
  const publish = async (events: readonly ChangeEvent[]) => {
    chronicle.leases.changedBy(`run-${record.n}`, process.clock.now(), 'publish');
    const copies = copyExactly(events);
    const refused = await backend.topic.publish(events);
    const isRefused = new Set(refused.map(({ event }) => event.id));
    for (const event of copies) {
      if (!isRefused.has(event.id)) chronicle.delivered(event, record.n, false);
    }
    return refused;
  };
  const failure = () => new PublishFailedError('throttled', { hint: 'Wait.' });
  const send = (events: readonly ChangeEvent[]) => {
    const keys = new Set(events.map((event) => event.partitionkey));
    const half = () => {
      const some = new Set(luck.shuffle([...keys]).slice(0, keys.size / 2));
      return publish(events.filter((event) => some.has(event.partitionkey)));
    };
    const refuseFirst = async () => {
      const [first, ...rest] = events;
      if (rest.length > 0) await publish(rest);
      if (first !== undefined) chronicle.refused.add(`${record.n} ${first.subject}`);
      return first === undefined ? [] : [{ event: first, reason: 'made to be refused' }];
    };
    return process.call('topic', {
      whole: async () => {
        if (hasOutage('topic', options)) {
          await publish(events.slice(0, Math.ceil(events.length / 2)));
          throw failure();
        }
        return options.isRefused() ? refuseFirst() : publish(events);
      },
      ...(keys.size > 1 && { half }),
      failure,
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
