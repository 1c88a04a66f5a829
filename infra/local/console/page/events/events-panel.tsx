import { computed, signal } from '@preact/signals';
import { clip, showCount, showSeconds, showTime, toWords } from '../format.ts';
import { Isolated } from '../isolated.tsx';
import { events, lastKey, ownChanges, type ShownEvent } from '../state/events.ts';
import { session } from '../state/state.ts';
import { filter } from '../state/stream.ts';
import { EventDetails } from './event-details.tsx';
import { nameOf, partsOfType, summaryOf } from './event-text.ts';
import { FilterField } from './filter-field.tsx';
import { VirtualList } from './virtual-list.tsx';

const ROW_HEIGHT = 54;

/** The events that stay in place while the stream is paused. */
const frozen = signal<{ readonly events: readonly ShownEvent[]; readonly key: number } | undefined>(
  undefined,
);
/** What a reader has chosen; else the event of the last change that was made here. */
const chosen = signal<ShownEvent | 'none' | undefined>(undefined);
const selected = computed(() => {
  if (chosen.value === 'none') return undefined;
  return chosen.value ?? ownChanges.value.findLast(({ arrived }) => arrived)?.arrived;
});

const newestFirst = computed(() => (frozen.value?.events ?? events.value).toReversed());

/** What subscribers receive, as it comes. */
export function EventsPanel() {
  const shown = newestFirst.value;
  return (
    <section class="panel events" aria-labelledby="events-title">
      <div class="panel-head">
        <h2 id="events-title">Events</h2>
        <p class="muted">
          {showCount(shown.length)} {filter.value === undefined ? 'received' : 'matching'}, newest
          first
        </p>
        <PauseButton />
      </div>
      <FilterField />
      {shown.length === 0 ? (
        <Empty />
      ) : (
        <VirtualList
          label="Events, newest first"
          items={shown}
          newest={frozen.value?.key ?? lastKey.value}
          rowHeight={ROW_HEIGHT}
          keyOf={({ key }) => key}
          selected={selected.value?.key}
          onSelect={(event) => (chosen.value = event)}
          row={(event) => <Row shown={event} />}
        />
      )}
      <EventDetails shown={selected.value} onClose={() => (chosen.value = 'none')} />
    </section>
  );
}

function PauseButton() {
  const waiting = frozen.value ? lastKey.value - frozen.value.key : 0;
  return (
    <button
      type="button"
      aria-pressed={frozen.value !== undefined}
      onClick={() =>
        (frozen.value = frozen.value ? undefined : { events: events.value, key: lastKey.value })
      }
    >
      {frozen.value ? `Continue (${showCount(waiting)} new)` : 'Pause'}
    </button>
  );
}

function Empty() {
  const text =
    filter.value !== undefined
      ? 'Nothing has matched this filter policy yet. The subscription receives what is published from now on.'
      : session.value && session.value.flow.runCount > 0
        ? 'No event yet. The first run learned what exists in silence; the next change becomes an event.'
        : 'No event yet. The first run learns what exists, in silence. After it each change becomes an event.';
  return <p class="empty-box">{text}</p>;
}

function Row({ shown }: { readonly shown: ShownEvent }) {
  const { event, receivedAt, run, isOwn, isRepeat } = shown;
  const { entity, action } = partsOfType(shown);
  return (
    <div class={`event ${isOwn ? 'is-own' : ''}`}>
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
    </div>
  );
}
