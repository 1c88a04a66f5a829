import { computed, signal } from '@preact/signals';
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

setInterval(() => {
  if (!isStopped.value) now.value = Date.now();
}, 1000);

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
