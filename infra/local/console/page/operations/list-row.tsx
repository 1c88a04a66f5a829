import type { ListState, ListStatus } from '../../../../../functions/control/protocol.ts';
import { clip, showSeconds, showTime } from '../format.ts';
import { act } from '../state/actions.ts';
import { isStopped, now, polledAtOf } from '../state/state.ts';
import { LIST_COMMANDS } from './commands.ts';

interface ListRowProps {
  readonly list: ListStatus;
  readonly name: string;
}

/** Why the time of the last poll is not known. */
const NOT_POLLED: Readonly<Partial<Record<ListState, string>>> = {
  live: 'not yet',
  baseline: 'not yet',
};

/** Where one list stands, with the commands of operators. */
export function ListRow({ list, name }: ListRowProps) {
  const { state, cursor, failures, failingSince, cause, job } = list;
  const isAtWork = job !== undefined && job.outcome === undefined;
  return (
    <tr class={state === 'waiting' ? 'is-waiting' : ''}>
      <th scope="row" title={list.list}>
        <bdi>{clip(name, 80)}</bdi>
      </th>
      <td data-label="State">
        <span class={`state is-${state.replaceAll(' ', '-')}`}>
          {isStopped.value ? `was ${state}` : state}
        </span>
      </td>
      <td data-label="Cursor" class="mono">
        {cursor?.replace('T', ' ').replace(/Z$/, '') ?? 'none yet'}
      </td>
      <td data-label="Last poll">{lastPoll(list)}</td>
      <td data-label="Next poll">{isStopped.value ? '–' : nextPoll(list)}</td>
      <td data-label="Failures">
        {failures === undefined ? (
          'none'
        ) : (
          <span class="cause" title={cause}>
            {failures} since {showTime(failingSince ?? now.value)}:{' '}
            {clip(cause ?? 'unknown cause', 160)}
          </span>
        )}
      </td>
      <td data-label="Commands" class="row-commands">
        {isAtWork ? (
          <Working list={list.list} job={job.name} name={name} />
        ) : (
          <Buttons list={list} name={name} />
        )}
      </td>
    </tr>
  );
}

function Buttons({ list, name }: Pick<ListRowProps, 'list' | 'name'>) {
  return (
    <>
      {LIST_COMMANDS.filter(({ applies }) => applies(list)).map(({ label, title, request }) => (
        <button
          key={label}
          type="button"
          class="small"
          title={title}
          aria-label={`${label}: ${name}`}
          onClick={() => void act('control', request(list))}
        >
          {label}
        </button>
      ))}
    </>
  );
}

/** Stands where the buttons were, so that no row moves. The text comes first: nobody cancels by a second click. */
function Working({ list, job, name }: Readonly<Record<'list' | 'job' | 'name', string>>) {
  return (
    <>
      <span class="placed">{job} goes on …</span>{' '}
      <button
        type="button"
        class="small"
        aria-label={`Cancel the ${job} of ${name}`}
        onClick={() => void act('control', { command: 'cancel', scope: { list } })}
      >
        Cancel
      </button>
    </>
  );
}

function lastPoll(list: ListStatus): string {
  const polledAt = polledAtOf(list);
  if (polledAt === undefined) return `– ${NOT_POLLED[list.state] ?? list.state}`;
  return isStopped.value ? showTime(polledAt) : `${showSeconds(now.value - polledAt)} ago`;
}

function nextPoll({ state, nextPollAt }: ListStatus): string {
  if (state === 'paused') return 'after a resume';
  if (state === 'not polled') return '– never';
  const waitMs = nextPollAt === undefined ? 0 : Date.parse(nextPollAt) - now.value;
  return waitMs > 0 ? `in ${showSeconds(waitMs)}` : 'next run';
}
