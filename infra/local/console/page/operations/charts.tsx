import { computed } from '@preact/signals';
import type { RunOutcome } from '../../protocol.ts';
import { showTime } from '../format.ts';
import { events, session } from '../state/session.ts';

/** Runs that are shown. */
const SHOWN = 50;
/** Least events of the tallest bar. */
const MIN_TALLEST = 5;
/** Upper ends of the histogram's bins in seconds. */
const BINS = [1, 2, 3, 4, 5, 7, 10, 30, 60, Infinity];

const LOOKS: Readonly<Record<RunOutcome, readonly [tone: string, sign: string]>> = {
  running: ['quiet', ''],
  completed: ['accent', ''],
  'with failures': ['warn', '!'],
  'lease held': ['quiet', '–'],
  failed: ['bad', '×'],
  killed: ['bad', '×'],
};

/** One bar of a small chart, with short texts above and below it. */
interface Bar {
  readonly key: string;
  /** From 0 to 1. */
  readonly height: number;
  /** The same in words. */
  readonly text: string;
  readonly tone?: string;
  readonly sign: string;
  readonly label?: string;
}

/** Seconds from each change since the first run to its event, the shortest first. */
const ages = computed(() => {
  const begin = session.value?.runs[0]?.startedAt ?? 0;
  return events.value
    .filter(({ event, isRepeat }) => !isRepeat && event.cause === 'poll')
    .filter(({ event }) => Date.parse(event.time) >= begin)
    .map(({ event, receivedAt }) => Math.max(0, receivedAt - Date.parse(event.time)) / 1000)
    .toSorted((a, b) => a - b);
});

/** The outcomes of the latest runs, their changes, and the ages of events. */
export function Charts() {
  const last = session.value?.runs.findLast(({ outcome }) => outcome !== 'running');
  return (
    <section class="wide charts" aria-label="Runs and charts">
      <figure>
        <h2>Runs</h2>
        <p class="muted">
          {last
            ? `Run ${last.number} at ${showTime(last.startedAt)}, ${last.outcome}: ${last.details}.`
            : 'The first run begins once the stack has started.'}
        </p>
        <Bars label="The latest runs, oldest first, by their events" bars={runBars()} />
      </figure>
      <figure>
        <h2>Kinds of change</h2>
        <p class="muted">The latest events by their action.</p>
        <Bars label="The latest events by their action" bars={actionBars()} />
      </figure>
      <figure>
        <h2>Change to event</h2>
        <p class="muted">{describeAges()}</p>
        <Bars label="Events by their seconds" bars={ageBars()} />
      </figure>
    </section>
  );
}

function Bars({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
  return (
    <div class="bars" role="img" aria-label={label}>
      {bars.map(({ key, height, text, tone = 'accent', sign, label: below }) => (
        <div key={key} class={tone} title={text}>
          {sign}
          <span class="bar" style={{ height: `${100 * height}%` }} />
          {below}
        </div>
      ))}
    </div>
  );
}

function runBars(): Bar[] {
  const runs = (session.value?.runs ?? []).slice(-SHOWN);
  const tallest = Math.max(MIN_TALLEST, ...runs.map(({ eventCount }) => eventCount));
  return runs.map(({ number, shard, outcome, eventCount, details }) => ({
    key: `${number}.${shard}`,
    height: 0.1 + (0.7 * eventCount) / tallest,
    text: `Run ${number}, ${outcome}: ${details}`,
    tone: LOOKS[outcome][0],
    sign: LOOKS[outcome][1],
  }));
}

function actionBars(): Bar[] {
  const all = events.value.map(({ event }) => event.type.split('.')[1]);
  return ['created', 'updated', 'deleted', 'restored'].map((action) => {
    const count = all.filter((each) => each === action).length;
    const sign = `${count}`;
    return {
      key: action,
      label: action,
      sign,
      height: count / Math.max(1, all.length),
      text: sign,
    };
  });
}

function describeAges(): string {
  const median = ages.value[Math.floor(ages.value.length / 2)];
  return median === undefined
    ? 'From a change in the service to its event in a queue, in seconds.'
    : `Events by seconds, up to 1, 2, …; half of ${ages.value.length} in ${median.toFixed(1)} s.`;
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
