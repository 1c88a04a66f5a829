import { effect, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { NamedEntity } from '../../protocol.ts';
import { Controls } from '../controls.tsx';
import { clip } from '../format.ts';
import { change, type ChangeOutcome } from '../state/actions.ts';
import { events, ownChanges } from '../state/events.ts';
import { projects, session } from '../state/state.ts';
import { Actions } from './entity-actions.tsx';
import { EntityLists } from './entity-lists.tsx';
import { NameForm } from './name-form.tsx';
import { content, refresh, select, selectedId } from './project-content.ts';

/** Time between two reads of the service. */
const PACE_MS = 1_000;

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
  const deleted = projects.value.filter(({ isDeleted }) => isDeleted);
  return (
    <div class="project">
      <Controls>
        <div class="project-head">
          <label for="project">Project</label>
          <select
            id="project"
            value={selectedId.value}
            onChange={({ currentTarget }) => {
              select(currentTarget.value);
            }}
          >
            <Options projects={projects.value.filter(({ isDeleted }) => !isDeleted)} />
            {deleted.length > 0 && (
              <optgroup label="Deleted">
                <Options projects={deleted} />
              </optgroup>
            )}
          </select>
        </div>
        <div class="project-actions">
          {project && (
            <Actions
              key={project.id}
              entity={project}
              kind="project"
              place={{ list: 'projects' }}
            />
          )}
          <button
            type="button"
            class="small"
            data-next-focus
            onClick={() => (isCreating.value = !isCreating.value)}
          >
            New project
          </button>
        </div>
        {isCreating.value && (
          <NameForm
            label="Name of the new project"
            initial=""
            verb="Create"
            onDone={() => (isCreating.value = false)}
            onSubmit={createProject}
          />
        )}
      </Controls>
      {project?.isDeleted && (
        <p class="muted">
          This project is deleted: its lists are no longer polled. Restore it to change its content.
        </p>
      )}
      {project && content.value && (
        <EntityLists
          key={project.id}
          projectId={project.id}
          content={content.value}
          isFixed={project.isDeleted}
        />
      )}
    </div>
  );
}

function Options({ projects: shown }: { readonly projects: readonly NamedEntity[] }) {
  return (
    <>
      {shown.map(({ id, name, isDeleted }) => (
        <option key={id} value={id}>
          {clip(name, 80)}
          {isDeleted ? ' (deleted)' : ''}
        </option>
      ))}
    </>
  );
}

async function createProject(name: string): Promise<ChangeOutcome> {
  const outcome = await change(
    `created the project “${clip(name.trim(), 60)}”`,
    { change: 'create project', name },
    { list: 'projects' },
  );
  if ('ids' in outcome) select(outcome.ids[0]);
  return outcome;
}
