import type { NamedEntity } from '../../protocol.ts';
import { clip, showTime } from '../format.ts';
import { Controls } from '../parts.tsx';
import { act } from '../state/actions.ts';
import { selectProject, site } from '../state/site.ts';
import { EntityActions, EntityRow } from './entity-row.tsx';

/** One project with its floorplans and checklists, and their actions. */
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
          <button type="button" onClick={() => void createProject()}>
            New project
          </button>
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
  return (
    <>
      <div class="row list-head">
        <h3 class="grow">{kind === 'floorplan' ? 'Floorplans' : 'Checklists'}</h3>
        <button type="button" onClick={() => void create(kind, list, projectId)}>
          New {kind}
        </button>
      </div>
      <ul>
        {entities.map((entity) => (
          <EntityRow key={entity.id} entity={entity} kind={kind} list={list} />
        ))}
      </ul>
    </>
  );
}

/** @param id of the project, for an entity below one. */
function create(kind: 'project' | EntitiesProps['kind'], list: string, id?: string) {
  const name = `New ${kind}, ${showTime(Date.now())}`;
  const request = { change: `create ${kind}` as const, name, ...(id !== undefined && { id }) };
  return act('change', request, { label: `created “${name}”`, list });
}

async function createProject(): Promise<void> {
  const [id] = (await create('project', 'projects')) ?? [];
  if (id !== undefined) selectProject(id);
}
