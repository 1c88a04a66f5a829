import type {
  JobsStatus,
  ListState,
  ListStatus,
} from '../../../../../functions/control/protocol.ts';
import { LIST_STATES, type ListsView } from '../../protocol.ts';
import { Controls } from '../controls.tsx';
import { clip, countOf, showCount, toWords } from '../format.ts';
import { act } from '../state/actions.ts';
import { isStopped, lists, projects } from '../state/state.ts';
import { ListRow } from './list-row.tsx';

const COLUMNS = ['List', 'State', 'Cursor', 'Last poll', 'Next poll', 'Failures', 'Commands'];
const STATE_WORDS: Readonly<Partial<Record<ListState, string>>> = {
  baseline: 'learning',
  parked: 'parked (of deleted projects)',
};

/** Where each list stands, with the commands of operators. */
export function ListsPanel() {
  const view = lists.value;
  const shown = view?.lists ?? [];
  const hiddenCount = view ? totalOf(view) - shown.length : 0;
  return (
    <section class="panel lists" aria-labelledby="lists-title">
      <Controls>
        <div class="panel-head">
          <h2 id="lists-title">Lists</h2>
          <p class="muted">
            {view ? describeCounts(view) : 'The lists appear here after the first run.'}
          </p>
          <button
            type="button"
            onClick={() => void act('control', { command: 'pause', scope: {} })}
          >
            Pause all
          </button>
          <button
            type="button"
            onClick={() => void act('control', { command: 'resume', scope: {} })}
          >
            Resume all
          </button>
          <button
            type="button"
            onClick={() => void act('control', { command: 'retry', scope: {} })}
          >
            Retry all
          </button>
        </div>
        <Jobs jobs={view?.jobs ?? []} />
      </Controls>
      <Table view={view} />
      {hiddenCount > 0 && (
        <p class="muted rest">
          and {showCount(hiddenCount)} more: “sitecast status” shows them all.
        </p>
      )}
    </section>
  );
}

function Table({ view }: { readonly view: ListsView | undefined }) {
  // By name, whatever their state: so no row moves under a hand.
  const named = (view?.lists ?? []).map((list) => ({ list, name: nameOf(list.list) }));
  named.sort((a, b) => rankOf(a.list) - rankOf(b.list) || a.name.localeCompare(b.name));
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="All lists">
      <Controls>
        <table>
          <thead>
            <tr>
              {COLUMNS.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {named.map(({ list, name }) => (
              <ListRow key={list.list} list={list} name={name} />
            ))}
          </tbody>
        </table>
      </Controls>
    </div>
  );
}

/** The list of projects first, those of deleted projects last. */
function rankOf({ list, state }: ListStatus): number {
  if (!list.includes('/')) return 0;
  return state === 'parked' ? 2 : 1;
}

/** Jobs of lists. Their line is always there, so that no row moves. */
function Jobs({ jobs }: { readonly jobs: readonly JobsStatus[] }) {
  return (
    <ul class="commands" aria-live="polite">
      {jobs.length === 0 && (
        <li class="muted">A replay or a reconcile is shown here until it is done.</li>
      )}
      {jobs.map(({ id, command, lists: count, waiting }) => (
        <li key={id}>
          {command}: {waiting} of {countOf(count, 'list')} left …
        </li>
      ))}
    </ul>
  );
}

function totalOf({ counts }: ListsView): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function describeCounts(view: ListsView): string {
  const parts = LIST_STATES.flatMap((state) => {
    const count = view.counts[state];
    return count === undefined ? [] : [`${showCount(count)} ${STATE_WORDS[state] ?? state}`];
  });
  const when = isStopped.value ? 'When it ended: ' : '';
  return `${when}${countOf(totalOf(view), 'list')}: ${parts.join(', ')}. An operator sees them with “sitecast status”.`;
}

/** `projects/<id>/floorplans` with the project's name. */
function nameOf(list: string): string {
  const [, id, resource] = list.split('/');
  if (resource === undefined || id === undefined) return list;
  const project = projects.value.find((each) => each.id === id)?.name ?? id.slice(0, 8);
  return `${clip(project, 60)} · ${toWords(resource)}`;
}
