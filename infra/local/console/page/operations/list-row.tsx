import type { ListState, ListStatus } from '../../../../../functions/control/protocol.ts';
import type { Requests } from '../../protocol.ts';
import { clip, countOf, showSeconds, showTime } from '../format.ts';
import { act } from '../state/actions.ts';
import { now } from '../state/session.ts';

interface ListRowProps {
  readonly list: ListStatus;
  readonly name: string;
}

/** The states of lists, in the order of their counts. */
export const STATE_TONES: Readonly<Record<ListState, string>> = {
  waiting: 'bad',
  paused: 'warn',
  baseline: 'info',
  live: 'good',
  'not-polled': 'info',
  parked: 'info',
};

interface ListCommand {
  readonly label: string;
  readonly title?: string;
  /** States of lists for which it makes sense. */
  readonly states: readonly ListState[];
  readonly request: (scope: { readonly list: string }) => Requests['control'];
}

const tenMinutesAgo = (): string => new Date(Date.now() - 600_000).toISOString();

/** Add a command here, and each list offers it. */
const LIST_COMMANDS: readonly ListCommand[] = [
  {
    label: 'Pause',
    states: ['live', 'baseline', 'waiting'],
    request: (scope) => ({ command: 'pause', scope }),
  },
  { label: 'Resume', states: ['paused'], request: (scope) => ({ command: 'resume', scope }) },
  { label: 'Retry', states: ['waiting'], request: (scope) => ({ command: 'retry', scope }) },
  {
    label: 'Rewind 10 min',
    title: 'Read the last 10 minutes of the list again',
    states: ['live'],
    request: (scope) => ({ command: 'rewind', scope, to: tenMinutesAgo() }),
  },
  {
    label: 'Replay 10 min',
    title: 'Publish the events of the last 10 minutes again',
    states: ['live'],
    request: (scope) => ({ command: 'replay', scope, since: tenMinutesAgo() }),
  },
];

export function ListRow({ list, name }: ListRowProps) {
  const { state, cursor, failures, failingSince = '', cause = '' } = list;
  return (
    <tr class={`is-${state}`}>
      <th scope="row" title={list.list}>
        <bdi>{clip(name, 80)}</bdi>
      </th>
      <td>
        <span class={`badge ${STATE_TONES[state]}`}>{state}</span>
      </td>
      <td>
        {describePolls(list)}
        {failures !== undefined && (
          <span class="cause bad" title={cause}>
            {countOf(failures, 'failure')} since {showTime(failingSince)}: {clip(cause, 110)}
          </span>
        )}
      </td>
      <td>{cursor?.replace('T', ' ').replace(/Z$/, '') ?? 'none yet'}</td>
      <td>
        <Commands list={list} name={name} />
      </td>
    </tr>
  );
}

function describePolls(list: ListStatus): string {
  const { state, lastPollAt, nextPollAt } = list;
  if (state === 'paused') return 'polled after a resume';
  if (state === 'not-polled') return '';
  const waitMs = nextPollAt === undefined ? 0 : Date.parse(nextPollAt) - now.value;
  const again = waitMs > 0 ? `again in ${showSeconds(waitMs)}` : '';
  const isPolled = lastPollAt !== undefined && (state === 'live' || state === 'baseline');
  if (!isPolled) return `polled ${again || 'with the next run'}`;
  const ago = showSeconds(now.value - Date.parse(lastPollAt));
  return [`polled ${ago} ago`, again].filter(Boolean).join(', ');
}

/** A job stands where the buttons were, so that no row moves. */
function Commands({ list, name }: ListRowProps) {
  const { job } = list;
  if (job && job.outcome === undefined) {
    return (
      <>
        {job.name} goes on …{' '}
        <button
          type="button"
          aria-label={`Cancel the ${job.name} of ${name}`}
          onClick={() => void act('control', { command: 'cancel', scope: { list: list.list } })}
        >
          Cancel
        </button>
      </>
    );
  }
  return (
    <>
      {LIST_COMMANDS.filter(({ states }) => states.includes(list.state)).map(
        ({ label, title, request }) => (
          <button
            key={label}
            type="button"
            title={title}
            aria-label={`${label}: ${name}`}
            onClick={() => void act('control', request({ list: list.list }))}
          >
            {label}
          </button>
        ),
      )}
    </>
  );
}
