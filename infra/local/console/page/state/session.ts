import { computed, signal } from '@preact/signals';
import type { ListStatus } from '../../../../../functions/control/protocol.ts';
import {
  MAX_ROWS,
  type ListsView,
  type ReceivedEvent,
  type SessionView,
  type StreamMessage,
} from '../../protocol.ts';
import { findArrivals } from './own-changes.ts';

const isLost = signal(false);
export const session = signal<SessionView | undefined>(undefined);
export const lists = signal<ListsView | undefined>(undefined);
/** In the order of arrival. */
export const events = signal<readonly ReceivedEvent[]>([]);

/** Whether the page shows the last state of a session that has ended, or does not answer. */
export const isStopped = computed(() => isLost.value || session.value?.phase === 'stopped');

/** The present time, once a second; of a session that has ended, the time of its end. */
export const now = signal(Date.now());
/** The longest lag, for each second of the last minute. */
export const lagSamples = signal<readonly number[]>(Array.from({ length: 60 }, () => 0));

setInterval(() => {
  if (isStopped.value) return;
  now.value = Date.now();
  lagSamples.value = [...lagSamples.value.slice(1), longestLag.value ?? 0];
}, 1000);

/** Seconds since the poll of the list that waits longest, of those that are polled. */
export const longestLag = computed(() => {
  const polledAt = (lists.value?.lists ?? []).flatMap((list) => polledAtOf(list) ?? []);
  if (polledAt.length === 0) return undefined;
  return Math.max(0, Math.round((now.value - Math.min(...polledAt)) / 1000));
});

/** When a list was last polled, milliseconds since 1970. Unknown while it waits or is paused. */
export function polledAtOf({ state, lastPollAt }: ListStatus): number | undefined {
  const isPolled = state === 'live' || state === 'baseline';
  return isPolled && lastPollAt !== undefined ? Date.parse(lastPollAt) : undefined;
}

/** Opens the stream. The browser opens it again after it was lost, and gets all that there is. */
export function openStream(): void {
  const source = new EventSource('/api/stream');
  source.addEventListener('open', () => {
    isLost.value = false;
    events.value = [];
  });
  source.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as StreamMessage;
    session.value = message.session;
    lists.value = message.lists ?? lists.value;
    if (message.events.length === 0) return;
    events.value = [...events.value, ...message.events].slice(-MAX_ROWS);
    findArrivals(events.value);
  });
  source.addEventListener('error', () => {
    isLost.value = true;
  });
}
