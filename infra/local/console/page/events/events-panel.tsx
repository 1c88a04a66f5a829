import type { ReceivedEvent } from '../../protocol.ts';
import { clip, showCount, showSeconds, showTime } from '../format.ts';
import { isOwn, selected } from '../state/own-changes.ts';
import { events, session } from '../state/session.ts';
import { EventDetails } from './event-details.tsx';
import { nameOf, partsOfType, summaryOf } from './event-text.ts';

const TONES: Readonly<Record<string, string>> = {
  created: 'good',
  updated: 'info',
  deleted: 'bad',
  restored: 'accent',
};

/** The received events, as they come. */
export function EventsPanel() {
  const shown = events.value.toReversed();
  const { received = 0, runs = 0 } = session.value?.counts ?? {};
  return (
    <section class="tall" aria-labelledby="events-title">
      <div class="row">
        <h2 id="events-title">Events</h2>
        <p class="muted grow">
          {showCount(received)} received
          {received > shown.length && shown.length > 0 && `, the last ${shown.length}`}, newest
          first
        </p>
      </div>
      {shown.length === 0 ? (
        <p class="callout">
          No event yet. The first run {runs > 0 ? 'learned what exists' : 'learns what exists'}, in
          silence. After it each change becomes an event.
        </p>
      ) : (
        <ol class="scroll events" aria-label="Events, newest first">
          {shown.map((event) => (
            <li key={event.number}>
              <button
                type="button"
                class={`event ${isOwn(event) ? 'is-own' : ''}`}
                aria-current={event.number === selected.value?.number}
                onClick={() => (selected.value = event)}
              >
                <Row received={event} />
              </button>
            </li>
          ))}
        </ol>
      )}
      <EventDetails received={selected.value} onClose={() => (selected.value = undefined)} />
    </section>
  );
}

function Row({ received }: { readonly received: ReceivedEvent }) {
  const { event, receivedAt, run, isRepeat } = received;
  const { entity, action } = partsOfType(received);
  const repeat = event.cause === 'poll' ? isRepeat && 'repeat' : event.cause;
  return (
    <>
      <span class={`badge ${TONES[action] ?? 'info'}`}>{action}</span>
      <span>
        <span class="muted wide-only">{entity.replaceAll('_', ' ')}</span>{' '}
        <b dir="auto">{clip(nameOf(received), 160)}</b>
      </span>
      <span class="row muted">
        {isOwn(received) && <b class="badge good">yours</b>}
        {repeat && <b class="badge warn">{repeat}</b>}
        {run !== undefined && <span class="wide-only">run {run}</span>}
        <span title={`received at ${showTime(receivedAt)}`}>
          after {showSeconds(receivedAt - Date.parse(event.time))}
        </span>
      </span>
      <span class="summary">{summaryOf(received)}</span>
    </>
  );
}
