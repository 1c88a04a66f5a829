import { signal } from '@preact/signals';
import type { ReceivedEvent } from '../../protocol.ts';

/** A change that was made in this tab. */
export interface OwnChange {
  /** In words: `renamed “Cellar”`. */
  readonly label: string;
  /** The entities whose events will follow. */
  readonly ids: readonly string[];
  /** The list that shows it, if it is one. */
  readonly list?: string | undefined;
  /** When it was asked for, milliseconds since 1970. */
  readonly at: number;
  /** When the service had made it. */
  readonly madeAt: number;
  /** The first event that it has led to. */
  readonly arrived?: ReceivedEvent | undefined;
}

const MAX_CHANGES = 50;

/** The latest last. */
export const ownChanges = signal<readonly OwnChange[]>([]);
/** The event whose details are shown: the last one of an own change, or a chosen one. */
export const selected = signal<ReceivedEvent | undefined>(undefined);

/** @param events the event may have been faster than the answer. */
export function rememberChange(change: OwnChange, events: readonly ReceivedEvent[]): void {
  ownChanges.value = [...ownChanges.value, change].slice(-MAX_CHANGES);
  findArrivals(events);
}

/** Looks for the events of changes that wait for theirs, and selects them. */
export function findArrivals(events: readonly ReceivedEvent[]): void {
  ownChanges.value = ownChanges.value.map((change) => {
    if (change.arrived) return change;
    const arrived = events.find(
      ({ event: { partitionkey, time } }) =>
        change.ids.includes(partitionkey) && Date.parse(time) >= change.at,
    );
    selected.value = arrived ?? selected.value;
    return { ...change, arrived };
  });
}

/** Whether an event is of a change of this tab, and of no later one. */
export function isOwn({ event: { partitionkey, time } }: ReceivedEvent): boolean {
  const changedAt = Date.parse(time);
  return ownChanges.value.some(
    ({ ids, at, madeAt }) => ids.includes(partitionkey) && changedAt >= at && changedAt <= madeAt,
  );
}
