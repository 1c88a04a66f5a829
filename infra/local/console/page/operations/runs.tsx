import type { RunOutcome } from '../../protocol.ts';
import { showTime } from '../format.ts';
import { session } from '../state/session.ts';
import { Bars } from './bars.tsx';

const SHOWN = 50;
/** Least events of the tallest bar. */
const MIN_TALLEST = 5;

const LOOKS: Readonly<Record<RunOutcome, readonly [tone: string, sign: string]>> = {
  running: ['quiet', ''],
  completed: ['accent', ''],
  'with failures': ['warn', '!'],
  'lease held': ['quiet', '–'],
  failed: ['bad', '×'],
  killed: ['bad', '×'],
};

/** The latest runs in a row: how each ended, and how many events it published. */
export function Runs() {
  const runs = (session.value?.runs ?? []).slice(-SHOWN);
  const tallest = Math.max(MIN_TALLEST, ...runs.map(({ eventCount }) => eventCount));
  const last = runs.findLast(({ outcome }) => outcome !== 'running');
  return (
    <figure>
      <h2>Runs</h2>
      <p class="muted">
        {last
          ? `Run ${last.number} at ${showTime(last.startedAt)}, ${last.outcome}: ${last.details}.`
          : 'The first run begins once the stack has started.'}
      </p>
      <Bars
        label="The latest runs, oldest first"
        bars={runs.map(({ number, shard, outcome, eventCount, details }) => ({
          key: `${number}.${shard}`,
          height: 0.1 + (0.7 * eventCount) / tallest,
          text: `Run ${number}, ${outcome}: ${details}`,
          tone: LOOKS[outcome][0],
          sign: LOOKS[outcome][1],
        }))}
      />
      <p class="row muted legend" aria-hidden="true">
        <span class="accent">completed</span>
        <span class="warn">with failures !</span>
        <span class="quiet">lease held –</span>
        <span class="bad">failed or killed ×</span>
        height: events
      </p>
    </figure>
  );
}
