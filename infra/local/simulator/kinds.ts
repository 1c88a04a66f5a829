import type { Project } from './world/entities.ts';
import type { EntityList, Row } from './world/entity-list.ts';
import type { ProjectLists } from './world/projects.ts';
import type { World } from './world/world.ts';

export type NamedRow = Row & { readonly name: string };
export type Verb = 'rename' | 'delete' | 'restore';

/** The entities of one kind, and the changes that all kinds have. */
export interface Kind<T extends NamedRow> {
  /** A change of a nested entity changes its parent: only those of free parents. */
  readonly rows: (world: World, isFree?: (row: Row) => boolean) => readonly T[];
  /** The `subject` of the entity's events. */
  readonly subject: (row: T) => string;
  readonly change: (world: World, row: T, verb: Verb, name: string) => unknown;
}

export const isAlive = ({ deleted_at }: Row): boolean => deleted_at === null;

export const project: Kind<Project> = {
  rows: ({ projects }) => projects.newestRows(),
  subject: ({ id }) => `/projects/${id}`,
  change: ({ projects }, row, verb, name) => changeIn(projects, row, verb, name),
};
export const floorplan = below('floorplans', ({ floorplans }) => floorplans);
export const checklist = below('template_checklists', ({ checklists }) => checklists);
export const sheet = nested(
  floorplan,
  ({ current_sheet }) => (current_sheet ? [current_sheet] : []),
  ({ floorplan_id }) => `floorplans/${floorplan_id}/sheets`,
  ({ floorplans }, { project_id, floorplan_id }, change) =>
    floorplans.updateSheet(project_id, floorplan_id, change),
);
export const item = nested(
  checklist,
  ({ template_check_items }) => template_check_items,
  ({ template_checklist_id }) =>
    `template_checklists/${template_checklist_id}/template_check_items`,
  ({ checklists }, { project_id, template_checklist_id, id }, change) =>
    checklists.updateItem(
      { projectId: project_id, checklistId: template_checklist_id, itemId: id },
      change,
    ),
);

/** A list below each project. */
function below<T extends NamedRow & { readonly project_id: string }>(
  resource: string,
  listsOf: (world: World) => ProjectLists<T>,
): Kind<T> {
  return {
    rows: (world) =>
      project
        .rows(world)
        .filter(isAlive)
        .flatMap(({ id }) => listsOf(world).list(id).newestRows()),
    subject: ({ project_id, id }) => `/projects/${project_id}/${resource}/${id}`,
    change: (world, row, verb, name) =>
      changeIn(listsOf(world).list(row.project_id), row, verb, name),
  };
}

function changeIn<T extends NamedRow>(
  list: EntityList<T>,
  { id }: T,
  verb: Verb,
  name: string,
): unknown {
  if (verb === 'rename') return list.update(id, { name } as Partial<T>);
  return verb === 'delete' ? list.remove(id) : list.restore(id);
}

/** Entities that are shown in those of a list. */
function nested<P extends NamedRow, T extends NamedRow & { readonly project_id: string }>(
  parents: Kind<P>,
  childrenOf: (parent: P) => readonly T[],
  pathOf: (row: T) => string,
  update: (world: World, row: T, change: (time: string) => object) => unknown,
): Kind<T> {
  return {
    rows: (world, isFree = isAlive) =>
      parents
        .rows(world)
        .filter((row) => isAlive(row) && isFree(row))
        .flatMap(childrenOf),
    subject: (row) => `/projects/${row.project_id}/${pathOf(row)}/${row.id}`,
    change: (world, row, verb, name) =>
      update(world, row, (time) =>
        verb === 'rename' ? { name } : { deleted_at: verb === 'delete' ? time : null },
      ),
  };
}
