import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import type { Quarantine } from '../../../functions/core/ports/quarantine.ts';
import { copyExactly } from '../numbers.ts';
import { injected } from './injected-failure.ts';
import { hasOutage, type PortsOptions } from './ports-options.ts';

/** Milliseconds that a call of the queue usually takes. */
const USUAL_MS = 15;

/** The quarantine: records what it is given. */
export function simulatedQuarantine(options: PortsOptions): Quarantine {
  const { process, record, chronicle, backend } = options;
  return {
    put: (items) =>
      process.call('quarantine', {
        whole: async () => {
          if (hasOutage('quarantine', options)) throw injected();
          await backend.quarantine.put(items);
          for (const item of copyExactly(items)) {
            chronicle.quarantined.push(item);
            const event = item.value as ChangeEvent | null;
            if (event?.specversion === '1.0') chronicle.delivered(event, record.n, true);
          }
        },
        failure: injected,
        usualMs: USUAL_MS,
      }),
  };
}
