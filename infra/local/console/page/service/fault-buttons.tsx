import type { ChangeAnswer, FaultName } from '../../protocol.ts';
import { act } from '../state/actions.ts';
import { rememberChange, session } from '../state/state.ts';

const FAULTS: Readonly<Record<FaultName, { readonly label: string; readonly title: string }>> = {
  unauthorized: { label: '401 now', title: 'All access tokens expire' },
  'rate-limit': { label: '429', title: 'Too many requests, with Retry-After' },
  'server-error': { label: '5xx', title: '20 requests are answered with 503' },
  slow: { label: 'Slow', title: '8 requests take 2.5 s longer' },
  'broken-page': { label: 'Broken page', title: 'One list breaks off half-way until it fails' },
  'late-commit': { label: 'Late commit', title: 'A change that readers see only 8 s later' },
  tie: { label: 'Tie', title: 'Five changes in one millisecond' },
  'switched-off': { label: 'Switch off', title: 'No request is answered until you stop it' },
};

/** Makes the service misbehave, one click each. */
export function FaultButtons() {
  const isFaulty = (session.value?.faults.length ?? 0) > 0;
  const begin = async (fault: FaultName): Promise<void> => {
    const at = Date.now();
    const answer = (await act('fault', { fault })) as ChangeAnswer | undefined;
    if (answer && answer.ids.length > 0) {
      rememberChange(`made a ${FAULTS[fault].label.toLowerCase()}`, answer.ids, at);
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
            {FAULTS[fault].label}
          </button>
        ))}
        {isFaulty && (
          <button type="button" class="small danger" onClick={() => void act('fault', {})}>
            Stop all faults
          </button>
        )}
      </div>
    </div>
  );
}
