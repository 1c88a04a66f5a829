import { signal } from '@preact/signals';
import type { SessionView } from '../../protocol.ts';
import { showSeconds } from '../format.ts';
import { Isolated } from '../isolated.tsx';
import { problem } from '../state/actions.ts';
import { isOfLaterChange, ownChanges, type OwnChange, type ShownEvent } from '../state/events.ts';
import { isStopped, lists, now, session } from '../state/state.ts';
import { waitsFor } from './waits-for.ts';

/** The change whose story is not of interest any more. */
const closed = signal<OwnChange['at'] | undefined>(undefined);

/** What to try first, and after that the way of the last change. It stays in view while the page is scrolled. */
export function StatusStrip() {
  const own = ownChanges.value.at(-1);
  const isClosed = own !== undefined && own.at === closed.value;
  const isSticky =
    isStopped.value || problem.value !== undefined || (own !== undefined && !isClosed);
  const look = own ? (own.arrived ? 'is-done' : 'is-waiting') : '';
  return (
    <div class={`strip ${isSticky ? 'is-sticky' : ''}`}>
      {isStopped.value && <Stopped />}
      <div class={`story ${look}`} hidden={isStopped.value || isClosed}>
        <p role="status">{own ? <Story own={own} /> : hint(session.value)}</p>
        {own && (
          <button
            type="button"
            class="small"
            aria-label="Close what became of your change"
            onClick={() => (closed.value = own.at)}
          >
            Close
          </button>
        )}
      </div>
      {problem.value !== undefined && !isStopped.value && (
        <div class="problem" role="alert">
          <p>{problem.value}</p>
          <button type="button" class="small" onClick={() => (problem.value = undefined)}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}

function Stopped() {
  return (
    <p class="problem stopped" role="alert">
      <strong>npm start has ended, or does not answer.</strong> You see its last state, and nothing
      can be changed. Start it again, and this page goes on.
    </p>
  );
}

function hint(view: SessionView | undefined): string {
  if (!view || view.flow.runCount === 0) {
    return 'The first run learns what exists, without events. After it each change becomes an event.';
  }
  return view.service.isSimulated
    ? `Try it: rename a floorplan under Service. Its event, with the old name, appears under Events within ${view.everySeconds + 1} seconds.`
    : 'The service is real: change something in it, and the event appears under Events.';
}

function Story({ own }: { readonly own: OwnChange }) {
  const { label, list, arrived } = own;
  return (
    <>
      <strong>
        You <Isolated text={label} />.
      </strong>{' '}
      {arrived
        ? describeArrival(own, arrived)
        : waitsFor(list, session.value, lists.value, now.value)}
    </>
  );
}

function describeArrival(own: OwnChange, { event, receivedAt, run }: ShownEvent): string {
  const finder = run === undefined ? 'A run' : `Run ${run}`;
  const taken = showSeconds(receivedAt - own.at);
  if (isOfLaterChange(own, { event, receivedAt, isRepeat: false })) {
    return `It was changed again meanwhile: ${finder.toLowerCase()} published ${event.type}, with its latest state. A queue received it ${taken} after your click; it is selected under Events.`;
  }
  const old = event.data?.previous ? ' with the old values' : '';
  return `${finder} found it and published ${event.type}${old}. A queue received it ${taken} after your click; it is selected under Events.`;
}
