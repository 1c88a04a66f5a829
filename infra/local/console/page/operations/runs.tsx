import type { RunOutcome, RunView } from '../../protocol.ts';
import { showSeconds, showTime } from '../format.ts';
import { session } from '../state/state.ts';

const SHOWN = 60;
const TALLEST = 20;

const SIGNS: Readonly<Record<RunOutcome, string>> = {
  running: '…',
  completed: '',
  'with failures': '!',
  'lease held': '–',
  failed: '×',
  killed: '×',
};

/** The latest runs in a row: how each ended, and how many events it published. */
export function Runs() {
  const runs = (session.value?.runs ?? []).slice(-SHOWN);
  const last = runs.findLast(({ outcome }) => outcome !== 'running');
  return (
    <div class="runs">
      <h2 id="runs-title">Runs</h2>
      <p class="muted">
        {last
          ? `Run ${last.number} at ${showTime(last.startedAt)}, ${last.outcome}: ${last.details}, in ${showSeconds(last.durationMs ?? 0)}.`
          : 'The first run begins once the stack has started.'}
      </p>
      <ol class="timeline" aria-label="The latest runs, oldest first">
        {runs.map((run) => (
          <Bar key={`${run.number}.${run.shard}`} run={run} />
        ))}
      </ol>
      <p class="legend" aria-hidden="true">
        <span class="is-completed">completed</span>
        <span class="is-failures">with failures !</span>
        <span class="is-held">lease held –</span>
        <span class="is-failed">failed or killed ×</span>
        <span>height: events</span>
      </p>
    </div>
  );
}

function Bar({ run }: { readonly run: RunView }) {
  const { number, outcome, eventCount, details } = run;
  const height = Math.min(eventCount, TALLEST) / TALLEST;
  const text = `Run ${number}, ${outcome}: ${details}`;
  return (
    <li class={`bar is-${outcome.replaceAll(' ', '-')}`} title={text}>
      <span class="bar-fill" style={{ height: `${18 + 82 * height}%` }} aria-hidden="true">
        {SIGNS[outcome]}
      </span>
      <span class="hidden">{text}</span>
    </li>
  );
}
