import type { NamedEntity } from '../../protocol.ts';
import { clip } from '../format.ts';
import { Controls } from '../parts.tsx';
import { act } from '../state/actions.ts';
import { selectProject, site } from '../state/site.ts';
import { EntityActions, EntityRow } from './entity-row.tsx';
import { NameButton } from './name-button.tsx';

/** One project with its floorplans and checklists, and what can be done to them. */
export function ProjectView() {
  const { projects, projectId, floorplans, checklists } = site.value;
  const project = projects.find(({ id }) => id === projectId);
  return (
    <>
      <Controls>
        <div class="row">
          <label for="project">Project</label>
          <select
            id="project"
            class="grow"
            value={projectId}
            onChange={({ currentTarget }) => {
              selectProject(currentTarget.value);
            }}
          >
            {projects.map(({ id, name, isDeleted }) => (
              <option key={id} value={id}>
                {clip(name, 80)}
                {isDeleted && ' (deleted)'}
              </option>
            ))}
          </select>
        </div>
        <div class="row" key={projectId}>
          {project && <EntityActions entity={project} kind="project" list="projects" />}
          <NameButton label="New project" verb="Create" onName={createProject} />
        </div>
      </Controls>
      {project?.isDeleted && (
        <p class="muted">
          This project is deleted: its lists are no longer polled. Restore it to change its content.
        </p>
      )}
      {project && (
        <div class="scroll content" tabIndex={0} role="region" aria-label="Content of the project">
          <Controls isFixed={project.isDeleted} key={project.id}>
            <Entities kind="floorplan" projectId={project.id} entities={floorplans} />
            <Entities kind="checklist" projectId={project.id} entities={checklists} />
          </Controls>
        </div>
      )}
    </>
  );
}

interface EntitiesProps {
  readonly kind: 'floorplan' | 'checklist';
  readonly projectId: string;
  readonly entities: readonly NamedEntity[];
}

function Entities({ kind, projectId, entities }: EntitiesProps) {
  const resource = kind === 'floorplan' ? 'floorplans' : 'template_checklists';
  const list = `projects/${projectId}/${resource}`;
  const create = (name: string) =>
    act(
      'change',
      { change: `create ${kind}`, id: projectId, name },
      { label: `created the ${kind} “${clip(name, 60)}”`, list },
    );
  return (
    <>
      <div class="row list-head">
        <h3 class="grow">{kind === 'floorplan' ? 'Floorplans' : 'Checklists'}</h3>
        <NameButton label={`New ${kind}`} verb="Create" onName={create} />
      </div>
      <ul>
        {entities.map((entity) => (
          <EntityRow key={entity.id} entity={entity} kind={kind} list={list} />
        ))}
      </ul>
    </>
  );
}

async function createProject(name: string): Promise<readonly string[] | undefined> {
  const label = `created the project “${clip(name, 60)}”`;
  const ids = await act('change', { change: 'create project', name }, { label, list: 'projects' });
  if (ids?.[0] !== undefined) selectProject(ids[0]);
  return ids;
}
