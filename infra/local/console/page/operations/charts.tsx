import { computed } from '@preact/signals';
import { showCount } from '../format.ts';
import { events } from '../state/events.ts';
import { lagSamples, longestLag, session } from '../state/state.ts';
import { Chart } from './chart.tsx';

/** Upper ends of the histogram's bins in seconds. The last has no end. */
const BINS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 30, 60];
const BIN_LABELS = [...BINS.map(String), '+'];

const lagData = computed((): [number[], number[]] => [
  lagSamples.value.map(([time]) => time),
  lagSamples.value.map(([, lag]) => lag),
]);

const ages = computed(() =>
  events.value
    .filter(({ event, isRepeat }) => !isRepeat && event.cause === 'poll')
    .map(({ event, receivedAt }) => Math.max(0, receivedAt - Date.parse(event.time)) / 1000),
);

const ageData = computed((): [number[], number[]] => {
  const counts = BIN_LABELS.map(() => 0);
  for (const age of ages.value) {
    const bin = BINS.findIndex((end) => age < end);
    const index = bin === -1 ? BINS.length : bin;
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return [BIN_LABELS.map((_, index) => index), counts];
});

/** Lag, change-to-event time and the request budget. */
export function Charts() {
  const sorted = ages.value.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  const lag = longestLag.value;
  return (
    <div class="charts">
      <figure>
        <figcaption>
          <h3>Lag</h3>
          <p class="muted">
            {lag === undefined
              ? 'Since the last poll of the list that waits longest.'
              : `The list that waits longest was polled ${lag} s ago.`}
          </p>
        </figcaption>
        <Chart kind="line" data={lagData} />
      </figure>
      <figure>
        <figcaption>
          <h3>Change to event</h3>
          <p class="muted">
            {median === undefined
              ? 'From a change in the service to its event in a queue, in seconds.'
              : `Events by their seconds, up to 1, 2, 3 …; half of ${showCount(sorted.length)} within ${median.toFixed(1)} s.`}
          </p>
        </figcaption>
        <Chart kind="bars" data={ageData} labels={BIN_LABELS} />
      </figure>
      <Budget />
    </div>
  );
}

function Budget() {
  const { used, perMinute = 0 } = session.value?.budget ?? {};
  const share = Math.min(1, (used ?? 0) / Math.max(perMinute, 1));
  return (
    <div class="budget">
      <h3 id="budget-title">Request budget</h3>
      <p class="muted">
        {used === undefined
          ? `${showCount(perMinute)} requests a minute; the poller's metrics tell how many were used.`
          : `${showCount(used)} of ${showCount(perMinute)} requests in the last minute.`}
      </p>
      <meter aria-labelledby="budget-title" min={0} max={1} high={0.9} value={share} />
    </div>
  );
}
