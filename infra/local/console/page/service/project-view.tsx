import { effect, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { NamedEntity, ProjectAnswer } from '../../protocol.ts';
import { clip } from '../format.ts';
import { change, read } from '../state/actions.ts';
import { events, ownChanges, projects, session } from '../state/state.ts';
import { Actions } from './entity-actions.tsx';
import { EntityLists } from './entity-lists.tsx';
import { NameForm } from './name-form.tsx';

const selectedId = signal<string | undefined>(undefined);
const content = signal<ProjectAnswer | undefined>(undefined);

/** Time between two reads of the service. */
const PACE_MS = 1_000;

let reading: ReturnType<typeof setTimeout> | undefined;

/** Reads projects and the selected one again, soon, and once for all who ask. */
function refresh(delayMs: number): void {
  reading ??= setTimeout(async () => {
    reading = undefined;
    const found = await read<readonly NamedEntity[]>('/api/projects');
    if (!found) return;
    projects.value = found;
    if (!found.some(({ id }) => id === selectedId.value)) {
      selectedId.value = (await firstWithFloorplan(found))?.id ?? found[0]?.id;
    }
    const id = selectedId.value;
    if (id === undefined) return;
    const answer = await readProject(id);
    if (id === selectedId.value) content.value = answer;
  }, delayMs);
}

function readProject(id: string): Promise<ProjectAnswer | undefined> {
  return read<ProjectAnswer>(`/api/projects/${encodeURIComponent(id)}`);
}

/** The first thing that the page tells to try is to rename a floorplan. */
async function firstWithFloorplan(found: readonly NamedEntity[]): Promise<NamedEntity | undefined> {
  for (const project of found.filter(({ isDeleted }) => !isDeleted)) {
    const { floorplans = [] } = (await readProject(project.id)) ?? {};
    if (floorplans.some(({ isDeleted }) => !isDeleted)) return project;
  }
  return undefined;
}

/** One project with its lists, and what can be done to them. */
export function ProjectView() {
  const isCreating = useSignal(false);
  useEffect(
    () =>
      effect(() => {
        // Whatever may have changed the service.
        const isReady = session.value?.phase === 'running';
        const isNew = events.value.length + ownChanges.value.length >= 0;
        if (isReady && isNew) refresh(projects.value.length === 0 ? 0 : PACE_MS);
      }),
    [],
  );
  const project = projects.value.find(({ id }) => id === selectedId.value);
  return (
    <div class="project">
      <div class="project-head">
        <label for="project">Project</label>
        <select
          id="project"
          value={selectedId.value}
          onChange={({ currentTarget }) => {
            selectedId.value = currentTarget.value;
            content.value = undefined;
            refresh(0);
          }}
        >
          {projects.value.map(({ id, name, isDeleted }) => (
            <option key={id} value={id}>
              {clip(name, 80)}
              {isDeleted ? ' (deleted)' : ''}
            </option>
          ))}
        </select>
      </div>
      <div class="project-actions">
        {project && <Actions entity={project} address={{ entity: 'project', id: project.id }} />}
        <button type="button" class="small" onClick={() => (isCreating.value = !isCreating.value)}>
          New project
        </button>
      </div>
      {isCreating.value && (
        <NameForm
          label="Name of the new project"
          initial=""
          verb="Create"
          onDone={() => (isCreating.value = false)}
          onSubmit={(name) =>
            change(`created the project “${name}”`, { action: 'create', entity: 'project', name })
          }
        />
      )}
      {project && content.value && <EntityLists projectId={project.id} content={content.value} />}
    </div>
  );
}
