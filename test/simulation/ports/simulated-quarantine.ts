import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import type { Quarantine } from '../../../functions/core/ports/quarantine.ts';
import { copyOf } from '../world/service.ts';
import { injected } from './injected-failure.ts';
import type { PortsOptions } from './ports-options.ts';

/** Milliseconds that a call usually takes. */
const USUAL_MS = 15;

/** The quarantine: records its items. */
export function simulatedQuarantine(options: PortsOptions): Quarantine {
  const { process, record, trace, backend } = options;
  return {
    put: (items) =>
      process.call('quarantine', {
        whole: async () => {
          const added = await backend.quarantine.put(items);
          trace.quarantined.push(...copyOf(added));
          for (const { kind, value } of items)
            if (kind === 'event') trace.delivered(value as ChangeEvent, record.n, true);
          return added;
        },
        failure: injected,
        usualMs: USUAL_MS,
      }),
  };
}
