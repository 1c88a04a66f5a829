import { computed, signal } from '@preact/signals';
import type { ListStatus } from '../../../../../functions/control/protocol.ts';
import type { ListsView, NamedEntity, SessionView } from '../../protocol.ts';

export const connection = signal<'connecting' | 'open' | 'lost'>('connecting');
export const session = signal<SessionView | undefined>(undefined);
export const lists = signal<ListsView | undefined>(undefined);
export const projects = signal<readonly NamedEntity[]>([]);

/** Whether the page shows the last state of a session that has ended, or does not answer. */
export const isStopped = computed(
  () => connection.value === 'lost' || session.value?.phase === 'stopped',
);

/** The present time, once a second; of a session that has ended, the time of its end. */
export const now = signal(Date.now());
/** For how long the list that waits longest has not been polled; seconds, by time in seconds. */
export const lagSamples = signal<readonly (readonly [time: number, lag: number])[]>([]);

const MAX_SAMPLES = 600;

setInterval(() => {
  if (isStopped.value) return;
  now.value = Date.now();
  const lag = longestLag.value;
  if (lag === undefined) return;
  const sample = [Math.round(now.value / 1000), lag] as const;
  lagSamples.value = [...lagSamples.value, sample].slice(-MAX_SAMPLES);
}, 1000);

/** Seconds since the poll of the list that waits longest, of those that are polled. */
export const longestLag = computed(() => {
  const polledAt = (lists.value?.lists ?? []).flatMap((list) => polledAtOf(list) ?? []);
  if (polledAt.length === 0) return undefined;
  return Math.max(0, Math.round((now.value - Math.min(...polledAt)) / 1000));
});

/** When a list was last polled, milliseconds since 1970. It is not known of one that waits or is paused. */
export function polledAtOf({ state, lastPollAt }: ListStatus): number | undefined {
  const isPolled = state === 'live' || state === 'baseline';
  return isPolled && lastPollAt !== undefined ? Date.parse(lastPollAt) : undefined;
}
