import { computed, signal } from '@preact/signals';
import type { StatusAnswer } from '../../../../../functions/control/protocol.ts';
import {
  MAX_EVENTS,
  type EventsMessage,
  type NamedEntity,
  type ReceivedEvent,
  type SessionView,
} from '../../protocol.ts';

/** An event with its number in this tab, which only grows. */
export interface ShownEvent extends ReceivedEvent {
  readonly key: number;
  /** Whether a change that was made in this tab has led to it. */
  readonly isOwn: boolean;
}

/** A change that was made in this tab. */
export interface OwnChange {
  /** Ids of the entities whose events have not come yet. */
  readonly pending: readonly string[];
  /** In words: `renamed “Cellar”`. */
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The first event that it has led to. */
  readonly arrived?: ShownEvent;
}

export const connection = signal<'connecting' | 'open' | 'lost'>('connecting');
export const session = signal<SessionView | undefined>(undefined);
export const lists = signal<StatusAnswer | undefined>(undefined);
export const projects = signal<readonly NamedEntity[]>([]);

/** In the order of arrival. */
export const events = signal<readonly ShownEvent[]>([]);
/** Number of the last event. */
export const lastKey = signal(0);
/** The latest last. */
export const ownChanges = signal<readonly OwnChange[]>([]);
/** The present time, once a second. */
export const now = signal(Date.now());
/** For how long the list that waits longest has not been polled; seconds, by time in seconds. */
export const lagSamples = signal<readonly (readonly [time: number, lag: number])[]>([]);

const MAX_OWN_CHANGES = 50;
const MAX_SAMPLES = 600;

setInterval(() => {
  now.value = Date.now();
  const lag = longestLag.value;
  if (lag === undefined) return;
  const sample = [Math.round(now.value / 1000), lag] as const;
  lagSamples.value = [...lagSamples.value, sample].slice(-MAX_SAMPLES);
}, 1000);

/** Seconds since the poll of the list that waits longest, of those that are polled. */
export const longestLag = computed(() => {
  const polled = (lists.value?.lists ?? []).filter(
    ({ state, lastPollAt }) => lastPollAt !== undefined && ['live', 'baseline'].includes(state),
  );
  if (polled.length === 0) return undefined;
  const first = Math.min(...polled.map(({ lastPollAt }) => Date.parse(lastPollAt ?? '')));
  return Math.max(0, Math.round((now.value - first) / 1000));
});

/** Takes up events, bounded. */
export function addEvents({ events: received, isFirst }: EventsMessage): void {
  const shown = received.map((each, index) => claim({ ...each, key: lastKey.value + index + 1 }));
  lastKey.value += shown.length;
  events.value = [...(isFirst ? [] : events.value), ...shown].slice(-MAX_EVENTS);
}

/** Remembers a change of this tab, to know its event again. */
export function rememberChange(label: string, ids: readonly string[], at: number): void {
  ownChanges.value = [...ownChanges.value, { label, pending: ids, at }].slice(-MAX_OWN_CHANGES);
  // The event may have been faster than the answer.
  events.value = events.value.map((event) => (event.receivedAt >= at ? claim(event) : event));
}

/** Marks the first event of each entity that a change of this tab concerns. */
function claim(event: Omit<ShownEvent, 'isOwn'>): ShownEvent {
  const { partitionkey, time } = event.event;
  const isFrom = ({ pending, at }: OwnChange): boolean =>
    pending.includes(partitionkey) && Date.parse(time) >= at;
  if (!ownChanges.value.some(isFrom)) return { isOwn: false, ...event };
  const own = { ...event, isOwn: true };
  ownChanges.value = ownChanges.value.map((change) => {
    if (!isFrom(change)) return change;
    const pending = change.pending.filter((id) => id !== partitionkey);
    return { ...change, pending, arrived: change.arrived ?? own };
  });
  return own;
}
