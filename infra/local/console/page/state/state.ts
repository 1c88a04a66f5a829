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
  readonly ids: readonly string[];
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
  const shown = received.map((each, index): ShownEvent => {
    const key = lastKey.value + index + 1;
    return { ...each, key, isOwn: isOwn(each) };
  });
  lastKey.value += shown.length;
  events.value = [...(isFirst ? [] : events.value), ...shown].slice(-MAX_EVENTS);
  const own = shown.filter((event) => event.isOwn);
  if (own.length > 0) ownChanges.value = ownChanges.value.map((change) => withArrival(change, own));
}

/** Remembers a change of this tab, to know its event again. */
export function rememberChange(label: string, ids: readonly string[], at: number): void {
  ownChanges.value = [...ownChanges.value, { label, ids, at }].slice(-MAX_OWN_CHANGES);
  // The event may have been faster than the answer.
  const early = events.value.filter(({ receivedAt }) => receivedAt >= at);
  ownChanges.value = ownChanges.value.map((change) => withArrival(change, early));
  events.value = events.value.map((event) => (isOwn(event) ? { ...event, isOwn: true } : event));
}

function withArrival(change: OwnChange, shown: readonly ShownEvent[]): OwnChange {
  if (change.arrived) return change;
  const arrived = shown.find((event) => isFrom(change, event));
  return arrived ? { ...change, arrived } : change;
}

function isOwn(event: ReceivedEvent): boolean {
  return ownChanges.value.some((change) => isFrom(change, event));
}

function isFrom({ ids, at }: OwnChange, { event, receivedAt }: ReceivedEvent): boolean {
  return receivedAt >= at && ids.includes(event.partitionkey);
}
