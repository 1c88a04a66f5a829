import { EventsPanel } from './events/events-panel.tsx';
import { Flow } from './flow/flow.tsx';
import { Notes } from './flow/notes.tsx';
import { StatusStrip } from './flow/status-strip.tsx';
import { Charts } from './operations/charts.tsx';
import { ListsPanel } from './operations/lists-panel.tsx';
import { Runs } from './operations/runs.tsx';
import { ServicePanel } from './service/service-panel.tsx';
import { connection, isStopped, session } from './state/session.ts';

/** The whole page. */
export function App() {
  return (
    <>
      <header class="row">
        <h1>Sitecast console</h1>
        <p class="muted grow">
          Sitecast polls a construction service that has no events, and publishes each change as
          one.
        </p>
        <Connection />
      </header>
      <StatusStrip />
      <main>
        <section class="wide" aria-labelledby="flow-title">
          <Flow />
          <Notes />
        </section>
        <ServicePanel />
        <EventsPanel />
        <section class="wide charts" aria-label="Runs and charts">
          <Runs />
          <Charts />
        </section>
        <ListsPanel />
      </main>
    </>
  );
}

/** Says whether the page is live. */
function Connection() {
  const phase = connection.value === 'open' ? session.value?.phase : undefined;
  const [tone, text] = isStopped.value
    ? ['bad', 'no connection']
    : phase === undefined
      ? ['warn', 'connecting …']
      : phase === 'starting'
        ? ['warn', 'the stack is starting …']
        : ['good', 'live'];
  return (
    <p class={`connection ${tone}`} role="status">
      {text}
    </p>
  );
}
