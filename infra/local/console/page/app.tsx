import { EventsPanel } from './events/events-panel.tsx';
import { Flow } from './flow/flow.tsx';
import { Header } from './flow/header.tsx';
import { Notes } from './flow/notes.tsx';
import { StatusStrip } from './flow/status-strip.tsx';
import { Charts } from './operations/charts.tsx';
import { ListsPanel } from './operations/lists-panel.tsx';
import { Runs } from './operations/runs.tsx';
import { ServicePanel } from './service/service-panel.tsx';
import { isStopped } from './state/state.ts';

/** The whole page. */
export function App() {
  return (
    <>
      <Header />
      <StatusStrip />
      <main class={isStopped.value ? 'is-stopped' : ''}>
        <section class="panel overview" aria-labelledby="flow-title">
          <Flow />
          <Notes />
        </section>
        <ServicePanel />
        <EventsPanel />
        <section class="panel operations" aria-labelledby="runs-title">
          <Runs />
          <Charts />
        </section>
        <ListsPanel />
      </main>
    </>
  );
}
