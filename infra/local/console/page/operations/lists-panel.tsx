import type { ListState, ListStatus } from '../../../../../functions/control/protocol.ts';
import type { ListsView } from '../../protocol.ts';
import { clip, countOf, showCount } from '../format.ts';
import { Controls } from '../parts.tsx';
import { act } from '../state/actions.ts';
import { lists } from '../state/session.ts';
import { site } from '../state/site.ts';
import { ListRow, STATE_TONES } from './list-row.tsx';

const COLUMNS = ['List', 'State', 'Polls', 'Cursor', 'Commands'];

/** Where each list stands, with the commands of operators. */
export function ListsPanel() {
  const view = lists.value;
  return (
    <section class="wide lists" aria-labelledby="lists-title">
      <Controls>
        <div class="row">
          <h2 id="lists-title">Lists</h2>
          <p class="muted grow">
            {view ? describe(view) : 'The lists appear here after the first run.'}
          </p>
          {(['pause', 'resume', 'retry'] as const).map((command) => (
            <button
              key={command}
              type="button"
              onClick={() => void act('control', { command, scope: {} })}
            >
              {command.charAt(0).toUpperCase() + command.slice(1)} all
            </button>
          ))}
        </div>
      </Controls>
      <Table lists={view?.lists ?? []} />
    </section>
  );
}

function Table({ lists: shown }: { readonly lists: readonly ListStatus[] }) {
  // By name, not by state: so no row moves under a hand.
  const named = shown
    .map((list) => ({ list, name: nameOf(list.list) }))
    .toSorted((a, b) => rankOf(a.list) - rankOf(b.list) || a.name.localeCompare(b.name));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="All lists">
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

function describe({ totals, lists: shown, jobs }: ListsView): string {
  const parts = (Object.keys(STATE_TONES) as ListState[])
    .filter((state) => totals.byState[state] > 0)
    .map((state) => `${showCount(totals.byState[state])} ${state}`);
  const hidden = totals.lists - shown.length;
  return [
    `${countOf(totals.lists, 'list')}: ${parts.join(', ')}.`,
    ...jobs
      .filter(({ waiting }) => waiting > 0)
      .map(({ command, waiting, lists: all }) => `${command}: ${waiting} of ${all} lists left …`),
    hidden > 0 ? `${showCount(hidden)} are not shown here.` : '',
    'An operator sees them with “sitecast status”.',
  ].join(' ');
}

/** `projects/<id>/floorplans` with the project's name. */
function nameOf(list: string): string {
  const [, id, resource] = list.split('/');
  if (resource === undefined || id === undefined) return list;
  const project = site.value.projects.find((each) => each.id === id)?.name ?? id.slice(0, 8);
  return `${clip(project, 60)} · ${resource.replaceAll('_', ' ')}`;
}
