import type { FaultName } from '../../protocol.ts';
import { Controls } from '../parts.tsx';
import { act } from '../state/actions.ts';
import { session } from '../state/session.ts';
import { ProjectView } from './project-view.tsx';

const FAULTS: Readonly<Record<FaultName, readonly [label: string, title: string]>> = {
  unauthorized: ['401 now', 'All access tokens expire'],
  'rate-limit': ['429', 'Too many requests, with Retry-After'],
  'server-error': ['5xx', '20 requests are answered with 503'],
  slow: ['Slow', '8 requests take 2.5 s longer'],
  'broken-page': ['Broken page', 'One list breaks off half-way until it fails'],
  'late-commit': ['Late commit', 'A change that readers see only 8 s later'],
  tie: ['Tie', 'Five changes in one millisecond'],
  'switched-off': ['Switched off', 'No request is answered until you press it again'],
};

/** The simulated service: its content, its activity and its faults. */
export function ServicePanel() {
  const view = session.value;
  const isReal = view?.service.isSimulated === false;
  return (
    <section class="tall" aria-labelledby="service-title">
      <div class="row">
        <h2 id="service-title">Service</h2>
        <p class="muted">change something here</p>
      </div>
      {view === undefined || view.phase === 'starting' ? (
        <p class="callout">The stack is starting: a few seconds …</p>
      ) : isReal ? (
        <p class="callout">
          {view.service.url} is a real service: it is read, never changed from here. Start without
          --service for a simulated one.
        </p>
      ) : (
        <>
          <ProjectView />
          <Controls>
            <Activity />
            <Faults />
          </Controls>
        </>
      )}
    </section>
  );
}

/** Whether the simulated building site changes by itself. */
function Activity() {
  const isRunning = session.value?.isBusy ?? false;
  return (
    <div class="row">
      <h3>Activity</h3>
      <label class="row">
        <input
          type="checkbox"
          role="switch"
          checked={isRunning}
          onChange={() => void act('activity', { isRunning: !isRunning })}
        />
        busy site
      </label>
    </div>
  );
}

/** Makes the service misbehave, one click each. */
function Faults() {
  return (
    <div class="row">
      <h3>Faults</h3>
      {(Object.keys(FAULTS) as FaultName[]).map((fault) => {
        const [label, title] = FAULTS[fault];
        return (
          <button
            key={fault}
            type="button"
            title={title}
            aria-pressed={
              fault === 'switched-off' ? session.value?.service.isSwitchedOff : undefined
            }
            onClick={() => void act('fault', { fault }, { label: `made a ${label.toLowerCase()}` })}
          >
            {label}
          </button>
        );
      })}
    </div>
  );
}
