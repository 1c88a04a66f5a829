import { computed, signal } from '@preact/signals';
import { clip, showCount, showSeconds, showTime, toWords } from '../format.ts';
import { Isolated } from '../isolated.tsx';
import { events, lastKey, ownChanges, type ShownEvent } from '../state/events.ts';
import { session } from '../state/state.ts';
import { EventDetails } from './event-details.tsx';
import { nameOf, partsOfType, summaryOf } from './event-text.ts';

/** Rows of the latest events. */
const MAX_ROWS = 200;

/** The events that stay in place while a reader holds them. */
const frozen = signal<{ readonly events: readonly ShownEvent[]; readonly key: number } | undefined>(
  undefined,
);
/** What a reader has chosen; else the event of the last change that was made here. */
const chosen = signal<ShownEvent | 'none' | undefined>(undefined);
const selected = computed(() => {
  if (chosen.value === 'none') return undefined;
  return chosen.value ?? ownChanges.value.findLast(({ arrived }) => arrived)?.arrived;
});

const newestFirst = computed(() =>
  (frozen.value?.events ?? events.value).slice(-MAX_ROWS).toReversed(),
);

/** What subscribers receive, as it comes. */
export function EventsPanel() {
  const shown = newestFirst.value;
  const received = session.value?.flow.receivedCount ?? 0;
  return (
    <section class="panel events" aria-labelledby="events-title">
      <div class="panel-head">
        <h2 id="events-title">Events</h2>
        <p class="muted">
          {showCount(received)} received{received > MAX_ROWS && `, the last ${MAX_ROWS}`}, newest
          first
        </p>
        <HoldButton />
      </div>
      {shown.length === 0 ? (
        <Empty />
      ) : (
        <ol class="event-list" aria-label="Events, newest first">
          {shown.map((event) => (
            <li key={event.key}>
              <button
                type="button"
                aria-current={event.key === selected.value?.key}
                onClick={() => (chosen.value = event)}
              >
                <Row shown={event} />
              </button>
            </li>
          ))}
        </ol>
      )}
      <EventDetails shown={selected.value} onClose={() => (chosen.value = 'none')} />
    </section>
  );
}

function HoldButton() {
  const waiting = frozen.value ? lastKey.value - frozen.value.key : 0;
  return (
    <button
      type="button"
      title="New events wait while you read"
      onClick={() =>
        (frozen.value = frozen.value ? undefined : { events: events.value, key: lastKey.value })
      }
    >
      {frozen.value ? `Show ${showCount(waiting)} new` : 'Hold'}
    </button>
  );
}

function Empty() {
  const text =
    session.value && session.value.flow.runCount > 0
      ? 'No event yet. The first run learned what exists in silence; the next change becomes an event.'
      : 'No event yet. The first run learns what exists, in silence. After it each change becomes an event.';
  return <p class="empty-box">{text}</p>;
}

function Row({ shown }: { readonly shown: ShownEvent }) {
  const { event, receivedAt, run, isOwn, isRepeat } = shown;
  const { entity, action } = partsOfType(shown);
  return (
    <span class={`event ${isOwn ? 'is-own' : ''}`}>
      <span class={`action is-${action}`}>{action}</span>
      <span class="event-name">
        <span class="entity">{toWords(entity)}</span> <bdi>{clip(nameOf(shown), 160)}</bdi>
      </span>
      <span class="event-meta">
        {isOwn && <b class="tag">yours</b>}
        {event.cause !== 'poll' && <b class="tag is-repeat">{event.cause}</b>}
        {isRepeat && event.cause === 'poll' && <b class="tag is-repeat">repeat</b>}
        {run !== undefined && <span class="event-run">run {run}</span>}
        <span title={`received at ${showTime(receivedAt)}`}>
          after {showSeconds(receivedAt - Date.parse(event.time))}
        </span>
      </span>
      <span class="event-summary">
        <Isolated text={summaryOf(shown)} />
      </span>
    </span>
  );
}
