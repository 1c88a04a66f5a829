import { FAULTS, type FaultName } from '../../protocol.ts';
import { Controls } from '../parts.tsx';
import { act } from '../state/actions.ts';
import { session } from '../state/session.ts';
import { ProjectView } from './project-view.tsx';

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
