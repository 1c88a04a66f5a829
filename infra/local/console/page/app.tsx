import { EventsPanel } from './events/events-panel.tsx';
import { Flow } from './flow/flow.tsx';
import { Notes } from './flow/notes.tsx';
import { StatusStrip } from './flow/status-strip.tsx';
import { Charts } from './operations/charts.tsx';
import { ListsPanel } from './operations/lists-panel.tsx';
import { ServicePanel } from './service/service-panel.tsx';
import { isStopped, session } from './state/session.ts';

export function App() {
  return (
    <>
      <header class="row">
        <h1>Sitecast console</h1>
        <p class="muted grow">
          Sitecast polls a construction service that has no events, and publishes each change as
          one.
        </p>
        <p class={`connection ${isStopped.value ? 'bad' : 'good'}`} role="status">
          {isStopped.value ? 'no connection' : (session.value?.phase ?? 'connecting …')}
        </p>
      </header>
      <StatusStrip />
      <main>
        <section class="wide" aria-labelledby="flow-title">
          <Flow />
          <Notes />
        </section>
        <ServicePanel />
        <EventsPanel />
        <Charts />
        <ListsPanel />
      </main>
    </>
  );
}
