import type { ChangeAnswer, FaultName, FaultRequest } from '../../protocol.ts';
import { act } from '../state/actions.ts';
import { rememberChange } from '../state/events.ts';
import { session } from '../state/state.ts';

const FAULTS: Readonly<Record<FaultName, { readonly label: string; readonly title: string }>> = {
  unauthorized: { label: '401 now', title: 'All access tokens expire' },
  'rate-limit': { label: '429', title: 'Too many requests, with Retry-After' },
  'server-error': { label: '5xx', title: '20 requests are answered with 503' },
  slow: { label: 'Slow', title: '8 requests take 2.5 s longer' },
  'broken-page': { label: 'Broken page', title: 'One list breaks off half-way until it fails' },
  'late-commit': { label: 'Late commit', title: 'A change that readers see only 8 s later' },
  tie: { label: 'Tie', title: 'Five changes in one millisecond' },
  'switched-off': { label: 'Switch off', title: 'No request is answered until you press it again' },
};

/** Makes the service misbehave, one click each. */
export function FaultButtons() {
  const faults = session.value?.faults ?? [];
  const isSwitchedOff = faults.some((fault) => fault.isSwitchedOff);
  const begin = async (fault: FaultName): Promise<void> => {
    const at = Date.now();
    const isEnd = fault === 'switched-off' && isSwitchedOff;
    const request: FaultRequest = isEnd ? { fault, isEnd } : { fault };
    const answer = (await act('fault', request)) as ChangeAnswer | undefined;
    if (answer && answer.ids.length > 0) {
      const label = `made a ${FAULTS[fault].label.toLowerCase()}`;
      rememberChange({ label, pending: answer.ids, at });
    }
  };
  return (
    <div class="faults">
      <h3>Faults</h3>
      <div class="fault-buttons">
        {(Object.keys(FAULTS) as FaultName[]).map((fault) => (
          <button
            key={fault}
            type="button"
            class="small"
            title={FAULTS[fault].title}
            onClick={() => void begin(fault)}
          >
            {fault === 'switched-off' && isSwitchedOff ? 'Switch on' : FAULTS[fault].label}
          </button>
        ))}
        <button
          type="button"
          class="small danger"
          aria-disabled={faults.length === 0}
          onClick={() => {
            if (faults.length > 0) void act('fault', {});
          }}
        >
          Stop all faults
        </button>
      </div>
    </div>
  );
}
