import { computed } from '@preact/signals';
import { showCount } from '../format.ts';
import { events, lagSamples, longestLag, session } from '../state/session.ts';
import { Bars, type Bar } from './bars.tsx';

/** Upper ends of the histogram's bins in seconds. */
const BINS = [1, 2, 3, 4, 5, 7, 10, 30, 60, Infinity];
/** Seconds of the tallest bar at least. */
const MIN_LAG = 5;

/** Seconds from each change to its event, the shortest first. */
const ages = computed(() =>
  events.value
    .filter(({ event, isRepeat }) => !isRepeat && event.cause === 'poll')
    .map(({ event, receivedAt }) => Math.max(0, receivedAt - Date.parse(event.time)) / 1000)
    .toSorted((a, b) => a - b),
);

/** Lag, change-to-event time and the request budget. */
export function Charts() {
  return (
    <>
      <Lag />
      <figure>
        <h3>Change to event</h3>
        <p class="muted">{describeAges()}</p>
        <Bars label="Events by their seconds" bars={ageBars()} />
      </figure>
      <Budget />
    </>
  );
}

function Lag() {
  const lag = longestLag.value;
  const most = Math.max(MIN_LAG, ...lagSamples.value);
  const bars = lagSamples.value.map((each, index) => ({
    key: index,
    height: each / most,
    text: `${each} s`,
    sign: index === lagSamples.value.lastIndexOf(most) ? `${each} s` : '',
  }));
  return (
    <figure>
      <h3>Lag</h3>
      <p class="muted">
        {lag === undefined
          ? 'Since the last poll of the list that waits longest.'
          : `The list that waits longest was polled ${lag} s ago.`}
      </p>
      <Bars label="Lag of the last minute, by seconds" bars={bars} />
    </figure>
  );
}

function describeAges(): string {
  const median = ages.value[Math.floor(ages.value.length / 2)];
  return median === undefined
    ? 'From a change in the service to its event in a queue, in seconds.'
    : `Events by seconds, up to 1, 2, …; half of ${ages.value.length} within ${median.toFixed(1)} s.`;
}

function ageBars(): Bar[] {
  const counts = BINS.map((end, index) => {
    const start = BINS[index - 1] ?? 0;
    return ages.value.filter((age) => age >= start && age < end).length;
  });
  const most = Math.max(1, ...counts);
  return counts.map((count, index) => {
    const label = BINS[index] === Infinity ? '+' : `${BINS[index]}`;
    const sign = count === 0 ? '' : `${count}`;
    return { key: label, label, sign, height: count / most, text: `${label} s: ${count}` };
  });
}

function Budget() {
  const { used, perMinute = 0 } = session.value?.budget ?? {};
  return (
    <div class="row budget">
      <h3 id="budget-title">Request budget</h3>
      <p class="muted">
        {used === undefined
          ? `${showCount(perMinute)} requests a minute; the metrics tell how many were used.`
          : `${showCount(used)} of ${showCount(perMinute)} requests in the last minute.`}
      </p>
      <meter
        class="grow"
        aria-labelledby="budget-title"
        max={Math.max(perMinute, 1)}
        high={0.9 * perMinute}
        value={used ?? 0}
      />
    </div>
  );
}
