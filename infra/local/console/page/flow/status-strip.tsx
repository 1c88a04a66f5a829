import { signal } from '@preact/signals';
import type { SessionView } from '../../protocol.ts';
import { showSeconds } from '../format.ts';
import { problem } from '../state/actions.ts';
import { ownChanges, type OwnChange } from '../state/own-changes.ts';
import { isStopped, lists, session } from '../state/session.ts';
import { waitsFor } from './waits-for.ts';

/** The change whose story is not of interest any more. */
const closedAt = signal<OwnChange['at'] | undefined>(undefined);

/** A first thing to try, then the story of the last change, which stays in view. */
export function StatusStrip() {
  const own = ownChanges.value.at(-1);
  const isClosed = own !== undefined && own.at === closedAt.value;
  if (isStopped.value) {
    return (
      <div class="strip is-sticky">
        <p class="callout bad" role="alert">
          <span>
            <b>npm start has ended, or does not answer.</b> You see its last state, and nothing can
            be changed. Start it again, and this page goes on.
          </span>
        </p>
      </div>
    );
  }
  return (
    <div class={`strip ${(own && !isClosed) || problem.value ? 'is-sticky' : ''}`}>
      {!isClosed && (
        <div class={`callout story ${own ? (own.arrived ? 'good' : 'warn') : ''}`}>
          <p role="status">{own ? <Story own={own} /> : hint(session.value)}</p>
          {own && (
            <button
              type="button"
              aria-label="Close what became of your change"
              onClick={() => (closedAt.value = own.at)}
            >
              Close
            </button>
          )}
        </div>
      )}
      {problem.value !== undefined && (
        <div class="callout bad" role="alert">
          <p>{problem.value}</p>
          <button type="button" onClick={() => (problem.value = undefined)}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}

function hint(view: SessionView | undefined): string {
  if (!view || view.counts.runs === 0) {
    return 'The first run learns what exists, in silence. After it each change becomes an event.';
  }
  return view.service.isSimulated
    ? 'Try it: rename a floorplan under Service. Its event, with the old name, appears under ' +
        `Events within ${view.everySeconds + 1} seconds.`
    : 'The service is real: change something in it, and the event appears under Events.';
}

function Story({ own: { label, list, at, arrived } }: { readonly own: OwnChange }) {
  return (
    <>
      <b>You {label}.</b>{' '}
      {arrived
        ? `${arrived.run === undefined ? 'A run' : `Run ${arrived.run}`} found it and published ` +
          `${arrived.event.type}${arrived.event.data?.previous ? ' with the old values' : ''}. ` +
          `A queue received it ${showSeconds(arrived.receivedAt - at)} after your click; ` +
          'it is selected under Events.'
        : waitsFor(list, session.value, lists.value)}
    </>
  );
}
