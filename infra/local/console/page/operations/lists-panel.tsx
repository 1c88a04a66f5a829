import type { CommandStatus, ListStatus } from '../../../../../functions/control/protocol.ts';
import { clip, showCount, showSeconds, showTime, toWords } from '../format.ts';
import { act } from '../state/actions.ts';
import { lists, now, projects } from '../state/state.ts';
import { LIST_COMMANDS } from './commands.ts';

/** Where each list stands, with the commands of operators. */
export function ListsPanel() {
  const status = lists.value;
  const shown = status?.lists ?? [];
  const hiddenCount = (status?.matchCount ?? 0) - shown.length;
  return (
    <section class="panel lists" aria-labelledby="lists-title">
      <div class="panel-head">
        <h2 id="lists-title">Lists</h2>
        <p class="muted">
          {status
            ? `${status.totals.lists} lists, ${status.totals.failing} failing. An operator sees the same with “sitecast status”.`
            : 'The lists appear here after the first run.'}
        </p>
        <button type="button" onClick={() => void act('control', { command: 'pause', scope: {} })}>
          Pause all
        </button>
        <button type="button" onClick={() => void act('control', { command: 'resume', scope: {} })}>
          Resume all
        </button>
      </div>
      <Commands commands={status?.commands ?? []} />
      <div class="table-scroll" tabIndex={0} role="region" aria-label="All lists">
        <table>
          <thead>
            <tr>
              {['List', 'State', 'Cursor', 'Last poll', 'Next poll', 'Failures', 'Commands'].map(
                (title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((list) => (
              <Row key={list.list} list={list} />
            ))}
          </tbody>
        </table>
      </div>
      {hiddenCount > 0 && (
        <p class="muted">and {showCount(hiddenCount)} more: “sitecast status” shows them all.</p>
      )}
    </section>
  );
}

/** Commands that are on their way. */
function Commands({ commands }: { readonly commands: readonly CommandStatus[] }) {
  return (
    <ul class="commands" aria-live="polite">
      {commands.map(({ id, command, scope, progress }) => (
        <li key={id}>
          <strong>{command}</strong> of {nameOf(scope.list ?? '') || 'all lists'}
          {progress
            ? ` is under way: ${describeProgress(progress)}.`
            : ' is placed; the next run carries it out.'}{' '}
          <button
            type="button"
            class="small"
            onClick={() => void act('control', { command: 'cancel', id })}
          >
            Cancel
          </button>
        </li>
      ))}
    </ul>
  );
}

function describeProgress({ listsLeft, counts }: NonNullable<CommandStatus['progress']>): string {
  const done = Object.entries(counts).map(([kind, count]) => `${showCount(count)} ${kind}`);
  return [`${listsLeft} lists left`, ...done].join(', ');
}

function Row({ list }: { readonly list: ListStatus }) {
  const { state, cursor, lastPollAt, nextPollAt, failures, failingSince, cause } = list;
  const name = nameOf(list.list);
  const state_ = failures === undefined ? state : 'failing';
  return (
    <tr class={failures === undefined ? '' : 'is-failing'}>
      <th scope="row" title={list.list}>
        <bdi>{clip(name, 80)}</bdi>
      </th>
      <td data-label="State">
        <span class={`state is-${state_.replaceAll(' ', '-')}`}>{state_}</span>
      </td>
      <td data-label="Cursor" class="mono">
        {cursor?.replace('T', ' ').replace(/Z$/, '') ?? 'none yet'}
      </td>
      <td data-label="Last poll">
        {lastPollAt === undefined
          ? 'unknown'
          : `${showSeconds(now.value - Date.parse(lastPollAt))} ago`}
      </td>
      <td data-label="Next poll">{nextPoll(state, nextPollAt)}</td>
      <td data-label="Failures">
        {failures === undefined ? (
          'none'
        ) : (
          <span class="cause">
            {failures} since {showTime(failingSince ?? now.value)}:{' '}
            {clip(cause ?? 'unknown cause', 160)}
          </span>
        )}
      </td>
      <td data-label="Commands" class="row-commands">
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
      </td>
    </tr>
  );
}

function nextPoll(state: ListStatus['state'], nextPollAt: string | undefined): string {
  if (state === 'paused') return 'after a resume';
  if (nextPollAt === undefined) return 'next run';
  const wait = Date.parse(nextPollAt) - now.value;
  return wait > 0 ? `in ${showSeconds(wait)}` : 'next run';
}

/** `projects/<id>/floorplans` with the project's name. */
function nameOf(list: string): string {
  const [, id, resource] = list.split('/');
  if (resource === undefined || id === undefined) return list;
  const project = projects.value.find((each) => each.id === id)?.name ?? id.slice(0, 8);
  return `${clip(project, 60)} · ${toWords(resource)}`;
}
