import { signal } from '@preact/signals';
import { MAX_EVENTS, type EventsMessage, type ReceivedEvent } from '../../protocol.ts';

/** An event with its number in this tab, which only grows. */
export interface ShownEvent extends ReceivedEvent {
  readonly key: number;
  /** Whether a change that was made in this tab has led to it, and no later one. */
  readonly isOwn: boolean;
}

/** A change that was made in this tab. */
export interface OwnChange {
  /** Ids of the entities whose events have not come yet. */
  readonly pending: readonly string[];
  /** In words: `renamed “Cellar”`. */
  readonly label: string;
  /** The list that shows it, if it is one. */
  readonly list?: string | undefined;
  /** When it was asked for, milliseconds since 1970. */
  readonly at: number;
  /** When the service had made it. */
  readonly madeAt: number;
  /** The first event of its entities since. */
  readonly arrived?: ShownEvent;
}

/** In the order of arrival. */
export const events = signal<readonly ShownEvent[]>([]);
/** Number of the last event. */
export const lastKey = signal(0);
/** The latest last. */
export const ownChanges = signal<readonly OwnChange[]>([]);

const MAX_OWN_CHANGES = 50;

/** Takes up events, bounded. */
export function addEvents({ events: received, isFirst }: EventsMessage): void {
  const shown = received.map((each, index) => claim({ ...each, key: lastKey.value + index + 1 }));
  lastKey.value += shown.length;
  events.value = [...(isFirst ? [] : events.value), ...shown].slice(-MAX_EVENTS);
}

/** Remembers a change of this tab, to know its event again. */
export function rememberChange(made: Omit<OwnChange, 'madeAt' | 'arrived'>): void {
  const change = { ...made, madeAt: Date.now() };
  ownChanges.value = [...ownChanges.value, change].slice(-MAX_OWN_CHANGES);
  // The event may have been faster than the answer.
  events.value = events.value.map((event) => (event.receivedAt >= made.at ? claim(event) : event));
}

/** Whether the entity was changed again before the poller found a change of this tab. */
export function isOfLaterChange({ madeAt }: OwnChange, { event }: ReceivedEvent): boolean {
  return Date.parse(event.time) > madeAt;
}

/** Marks the first event of each entity that a change of this tab concerns. */
function claim(event: Omit<ShownEvent, 'isOwn'>): ShownEvent {
  const { partitionkey, time } = event.event;
  const isFrom = ({ pending, at }: OwnChange): boolean =>
    pending.includes(partitionkey) && Date.parse(time) >= at;
  const changes = ownChanges.value.filter(isFrom);
  if (changes.length === 0) return { isOwn: false, ...event };
  const own = { ...event, isOwn: changes.some((change) => !isOfLaterChange(change, event)) };
  ownChanges.value = ownChanges.value.map((change) => {
    if (!isFrom(change)) return change;
    const pending = change.pending.filter((id) => id !== partitionkey);
    return { ...change, pending, arrived: change.arrived ?? own };
  });
  return own;
}
