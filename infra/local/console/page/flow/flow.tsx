import type { ComponentChildren } from 'preact';
import type { SessionView } from '../../protocol.ts';
import { showCount } from '../format.ts';
import { act } from '../state/actions.ts';
import { isStopped, lists, session } from '../state/session.ts';

/** The way of a change through the stack, with live counts; trouble is lit where it happens. */
export function Flow() {
  const view = session.value;
  const { counts, service, everySeconds = 5 } = view ?? {};
  const last = view?.runs.at(-1);
  const isRunning = last?.outcome === 'running' && !isStopped.value;
  const polling = isRunning ? `run ${last.number} is under way` : `a run every ${everySeconds} s`;
  return (
    <>
      <div class="row">
        <h2 id="flow-title" class="grow">
          How a change becomes an event
        </h2>
        <KillButton view={view} />
      </div>
      <ol class="flow">
        <Place
          title={service?.isSimulated === false ? 'Real service' : 'Simulated service'}
          count={counts?.requests}
          unit="requests"
          trouble={service?.faults.join('; ')}
        >
          lists with a timestamp cursor, no events
        </Place>
        <Place title="Poller" count={counts?.runs} unit="runs" trouble={describeTrouble(view)}>
          {isStopped.value ? 'stopped' : polling}
        </Place>
        <Place title="Table" count={lists.value?.totals.lists} unit="lists">
          cursors and last states; {showCount(counts?.entities ?? 0)} entities compared
        </Place>
        <Place
          title="Topic"
          count={counts?.published}
          unit="events"
          trouble={counts?.quarantined ? `${counts.quarantined} quarantined` : ''}
        >
          published by completed runs
        </Place>
        <Place title="Subscribers" count={counts?.received} unit="received">
          by a queue of this console, repeats included
        </Place>
      </ol>
    </>
  );
}

interface PlaceProps {
  readonly title: string;
  readonly count: number | undefined;
  readonly unit: string;
  /** The trouble there; absent or empty for none. */
  readonly trouble?: string | undefined;
  readonly children: ComponentChildren;
}

function Place({ title, count = 0, unit, trouble = '', children }: PlaceProps) {
  return (
    <li class={`place ${trouble ? 'bad' : ''}`} data-place={title}>
      <h3>{title}</h3>
      <p class="count">
        <strong>{showCount(count)}</strong> {unit}
      </p>
      <p class="muted">{children}</p>
      {trouble && <p class="trouble">{trouble}</p>}
    </li>
  );
}

function describeTrouble(view: SessionView | undefined): string | undefined {
  if (view?.isKillArmed) return 'about to be killed';
  const last = view?.runs.findLast(({ outcome }) => outcome !== 'running');
  if (last === undefined || last.outcome === 'completed') return undefined;
  if (last.outcome === 'killed') return `run ${last.number} was killed`;
  if (last.outcome === 'lease held') return 'waits: the killed run still holds its lease';
  return `run ${last.number}: ${last.details}`;
}

function KillButton({ view }: { readonly view: SessionView | undefined }) {
  const isArmed = view?.isKillArmed ?? false;
  return (
    <>
      <p id="kill-explained" class="muted">
        {isArmed
          ? 'Armed: the next run is killed at its first request.'
          : 'A run dies half-way; a later one reads the same pages again. Nothing is lost.'}
      </p>
      <button
        type="button"
        class="bad"
        aria-describedby="kill-explained"
        aria-pressed={isArmed}
        disabled={view?.phase !== 'running' || isStopped.value}
        onClick={() => {
          if (!isArmed) void act('kill', {});
        }}
      >
        Kill the poller now
      </button>
    </>
  );
}
