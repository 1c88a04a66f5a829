import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import type { Quarantine } from '../../../functions/core/ports/quarantine.ts';
import { copyExactly } from '../numbers.ts';
import { injected } from './injected-failure.ts';
import type { PortsOptions } from './ports-options.ts';

/** Milliseconds that a call usually takes. */
const USUAL_MS = 15;

/** The quarantine: records what it is given. */
export function simulatedQuarantine(options: PortsOptions): Quarantine {
  const { process, record, chronicle, backend } = options;
  return {
    put: (items) =>
      process.call('quarantine', {
        whole: async () => {
          const added = await backend.quarantine.put(items);
          chronicle.quarantined.push(...copyExactly(added));
          for (const { kind, value } of copyExactly(items))
            if (kind === 'event') chronicle.delivered(value as ChangeEvent, record.n, true);
          return added;
        },
        failure: injected,
        usualMs: USUAL_MS,
      }),
  };
}
