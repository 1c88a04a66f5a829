import { Controls } from '../controls.tsx';
import { session } from '../state/state.ts';
import { ActivityControl } from './activity-control.tsx';
import { FaultButtons } from './fault-buttons.tsx';
import { ProjectView } from './project-view.tsx';

/** The simulated service: its content, its activity and its faults. */
export function ServicePanel() {
  const view = session.value;
  return (
    <section class="panel service" aria-labelledby="service-title">
      <div class="panel-head">
        <h2 id="service-title">Service</h2>
        <p class="muted">change something here</p>
      </div>
      {view?.service.isSimulated === false && view.phase !== 'starting' ? (
        <p class="empty-box">
          {view.service.url} is a real service: it is read, never changed from here. Start without
          --service for a simulated one.
        </p>
      ) : view === undefined || view.phase === 'starting' ? (
        <p class="empty-box">The stack is starting: a few seconds …</p>
      ) : (
        <>
          <ProjectView />
          <Controls>
            <ActivityControl />
            <FaultButtons />
          </Controls>
        </>
      )}
    </section>
  );
}
