/**
 * Every change of the building site, once: the activity, `sitecast trigger` and the console make
 * them from this catalogue.
 */
import type { Project } from './world/entities.ts';
import type { Row } from './world/entity-list.ts';
import {
  checkItemName,
  checklistName,
  floorplanName,
  projectCode,
  shortProjectName,
  withNewState,
} from './world/names.ts';
import { SHORT_PLAN, type ProjectLists } from './world/projects.ts';
import type { Random } from './world/random.ts';
import type { World } from './world/world.ts';

/** Items that a checklist has at most, unless a certain checklist is wished for. */
const MAX_ITEMS = 12;
/** A description of this length makes events too large for a message of 256 KiB. */
const LONG_DESCRIPTION = 'See the drawing. '.repeat(16_000);

/** What is wished for. Absent fields are left to chance. */
export interface Wish {
  /** Id of the entity to change; to create one below another, that of the other. */
  readonly id?: string | undefined;
  /** The new name. */
  readonly name?: string | undefined;
  /** Whether an entity may change now. */
  readonly isFree?: (row: Row) => boolean;
}

/** What a change is made with. */
interface Maker extends Wish {
  readonly world: World;
  readonly random: Random;
}

/** One change of the catalogue. */
interface Change {
  /** Type of the event that follows. */
  readonly type: string;
  /** @returns the `subject` of the event; undefined if no entity suits. */
  readonly make: (maker: Maker) => string | undefined;
}

type NamedRow = Row & { readonly name: string };
type Verb = 'rename' | 'delete' | 'restore';

/** The entities of one kind, and the changes that all kinds have. */
interface Kind<T extends NamedRow> {
  /** A change of a nested entity changes its parent: only those of free parents. */
  readonly rows: (world: World, isFree?: Wish['isFree']) => readonly T[];
  /** The `subject` of the entity's events. */
  readonly subject: (row: T) => string;
  readonly change: (world: World, row: T, verb: Verb, name: string) => unknown;
}

const isAlive = ({ deleted_at }: Row): boolean => deleted_at === null;
const isDeleted = ({ deleted_at }: Row): boolean => deleted_at !== null;

const project: Kind<Project> = {
  rows: ({ projects }) => projects.list.newestRows(),
  subject: ({ id }) => `/projects/${id}`,
  change: ({ projects: { list } }, { id }, verb, name) =>
    verb === 'rename' ? list.edit(id, { name }) : list.setDeleted(id, verb === 'delete'),
};
const floorplan = below('floorplans', ({ floorplans }) => floorplans);
const checklist = below('template_checklists', ({ checklists }) => checklists);
const task = below('tasks', ({ tasks }) => tasks);
const sheet = nested(
  floorplan,
  ({ current_sheet }) => (current_sheet ? [current_sheet] : []),
  ({ floorplan_id }) => `floorplans/${floorplan_id}/sheets`,
  ({ floorplans }, { project_id, floorplan_id }, change) =>
    floorplans.updateSheet(project_id, floorplan_id, change),
);
const item = nested(
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
    change: (world, { project_id, id }, verb, name) => {
      const lists = listsOf(world);
      if (verb === 'rename') lists.update(project_id, id, { name });
      else if (verb === 'delete') lists.remove(project_id, id);
      else lists.restore(project_id, id);
    },
  };
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

/**
 * A change that needs an entity: it takes one that suits, or the one that is wished for.
 *
 * @param apply returns the `subject` of the event.
 */
function change<T extends NamedRow>(
  type: string,
  kind: Kind<T>,
  apply: (row: T, maker: Maker) => string,
  suits: (row: T) => boolean = isAlive,
): Change {
  return {
    type,
    make: (maker) => {
      const { world, random, id, isFree = () => true } = maker;
      const found = kind
        .rows(world, isFree)
        .filter((row) => (id === undefined ? suits(row) && isFree(row) : row.id === id));
      const row = found[random.below(found.length)];
      return row && apply(row, maker);
    },
  };
}

/** The changes that all kinds have. */
function changesOf<N extends string, T extends NamedRow>(noun: N, entity: string, kind: Kind<T>) {
  const changed =
    (verb: Verb) =>
    (row: T, { world, random, name = withNewState(row.name, random) }: Maker): string => {
      kind.change(world, row, verb, name);
      return kind.subject(row);
    };
  return {
    [`rename ${noun}`]: change(`${entity}.updated`, kind, changed('rename')),
    [`delete ${noun}`]: change(`${entity}.deleted`, kind, changed('delete')),
    [`restore ${noun}`]: change(`${entity}.restored`, kind, changed('restore'), isDeleted),
  } as Record<`${Verb} ${N}`, Change>;
}

export const CHANGES = {
  'create project': {
    type: 'project.created',
    make: ({ world, random, name: wished }) => {
      const name = wished ?? shortProjectName(random);
      const code = projectCode(name, random);
      // The activity must not delete what a person has made.
      const plan = wished === undefined ? { plan_name: SHORT_PLAN } : {};
      return project.subject(world.projects.create({ name, code, ...plan }));
    },
  },
  ...changesOf('project', 'project', project),

  'create floorplan': change('floorplan.created', project, ({ id }, { world, random, name }) =>
    floorplan.subject(world.floorplans.create(id, { name: name ?? floorplanName(random) })),
  ),
  ...changesOf('floorplan', 'floorplan', floorplan),
  'rotate floorplan': change('floorplan.updated', floorplan, (row, { world }) =>
    floorplan.subject(world.floorplans.rotate(row.project_id, row.id)),
  ),
  'describe floorplan': change('floorplan.updated', floorplan, (row, { world }) => {
    const description = row.description === null ? LONG_DESCRIPTION : null;
    return floorplan.subject(world.floorplans.update(row.project_id, row.id, { description }));
  }),
  /** Leaves no trace: a reconcile finds it. */
  'destroy floorplan': change('floorplan.deleted', floorplan, (row, { world }) => {
    world.floorplans.destroy(row.project_id, row.id);
    return floorplan.subject(row);
  }),

  'upload sheet': change('sheet.created', floorplan, (row, { world }) => {
    const { current_sheet } = world.floorplans.uploadSheet(row.project_id, row.id);
    return current_sheet ? sheet.subject(current_sheet) : '';
  }),
  ...changesOf('sheet', 'sheet', sheet),

  'create checklist': change(
    'template_checklist.created',
    project,
    ({ id }, { world, random, name = checklistName(random) }) =>
      checklist.subject(world.checklists.create(id, { name })),
  ),
  ...changesOf('checklist', 'template_checklist', checklist),

  'add item': change(
    'template_check_item.created',
    checklist,
    (row, { world, random, name = checkItemName(random) }) => {
      const { template_check_items } = world.checklists.addItem(row.project_id, row.id, { name });
      const added = template_check_items.at(-1);
      return added ? item.subject(added) : '';
    },
    (row) => isAlive(row) && row.template_check_items.length < MAX_ITEMS,
  ),
  ...changesOf('item', 'template_check_item', item),

  'create task': change('task.created', project, ({ id }, { world, random, name }) =>
    task.subject(world.tasks.create(id, { name: name ?? checkItemName(random) })),
  ),
  ...changesOf('task', 'task', task),
} satisfies Record<string, Change>;

export type ChangeName = keyof typeof CHANGES;

export const CHANGE_NAMES = Object.keys(CHANGES) as ChangeName[];

/**
 * Makes a change.
 *
 * @returns the `subject` of the event that follows; undefined if no entity suits.
 * @throws ServiceError when the wished entity may not change.
 */
export function makeChange(
  name: ChangeName,
  world: World,
  random: Random,
  wish: Wish = {},
): string | undefined {
  return CHANGES[name].make({ ...wish, world, random });
}
