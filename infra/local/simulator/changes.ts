/**
 * Every change of the building site, once: the activity, `sitecast trigger` and the console make
 * them from this catalogue.
 */
import type { Collection, Row } from './world/collection.ts';
import type { TemplateCheckItem } from './world/entities.ts';
import {
  checkItemName,
  checklistName,
  floorplanName,
  projectCode,
  projectColor,
  shortProjectName,
  withNewState,
} from './world/names.ts';
import { isShort, SHORT_PLAN } from './world/projects.ts';
import type { Random } from './world/random.ts';
import { siteUser } from './world/seed.ts';
import type { World } from './world/world.ts';

/** Lasting projects that are created before short ones, which the activity may delete. */
const MIN_LASTING = 4;
/** Items that a checklist has at most, unless a certain one is wished for. */
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
interface Maker {
  readonly world: World;
  readonly random: Random;
  readonly wish: Wish;
}

/** One change of the catalogue. */
interface SiteChange {
  /** Type of the event that follows. */
  readonly type: string;
  /** @returns the `subject` of the event; undefined if no entity suits. */
  readonly make: (maker: Maker) => string | undefined;
}

/** The entities of one kind, and the path of each. */
interface Kind<T extends Row> {
  readonly rows: (world: World, isFree?: Wish['isFree']) => readonly T[];
  readonly path: (row: T) => string;
}

/** An entity of a list below a project. */
interface ProjectRow extends Row {
  readonly project_id: string;
}

const isAlive = ({ deleted_at }: Row): boolean => deleted_at === null;
const isDeleted = ({ deleted_at }: Row): boolean => deleted_at !== null;

const project: Kind<ReturnType<World['projects']['alive']>> = {
  rows: ({ projects }) => projects.list.newestRows(),
  path: ({ id }) => `/projects/${id}`,
};
const floorplan = kindBelow('floorplans', ({ floorplans }, id) => floorplans.list(id));
const checklist = kindBelow('template_checklists', ({ checklists }, id) => checklists.list(id));
const task = kindBelow('tasks', ({ tasks }, id) => tasks.list(id));
const item: Kind<TemplateCheckItem> = {
  // A change of an item changes its checklist, too.
  rows: (world, isFree = () => true) =>
    checklist
      .rows(world)
      .filter((list) => isAlive(list) && isFree(list))
      .flatMap((list) => list.template_check_items),
  path: ({ project_id, template_checklist_id, id }) =>
    `/projects/${project_id}/template_checklists/${template_checklist_id}/template_check_items/${id}`,
};

function kindBelow<T extends ProjectRow>(
  resource: string,
  listOf: (world: World, projectId: string) => Collection<T>,
): Kind<T> {
  return {
    rows: (world) =>
      project
        .rows(world)
        .filter(isAlive)
        .flatMap(({ id }) => listOf(world, id).newestRows()),
    path: ({ project_id, id }) => `/projects/${project_id}/${resource}/${id}`,
  };
}

/** A change that needs an entity: it takes one that suits, or the one that is wished for. */
function changeOf<T extends Row>(
  type: string,
  kind: Kind<T>,
  suits: (row: T) => boolean,
  apply: (row: T, maker: Maker) => string,
): SiteChange {
  return {
    type,
    make: (maker) => {
      const { world, random, wish } = maker;
      const { id, isFree = () => true } = wish;
      const found = kind
        .rows(world, isFree)
        .filter((row) => (id === undefined ? suits(row) && isFree(row) : row.id === id));
      const row = found[random.below(found.length)];
      return row && apply(row, maker);
    },
  };
}

/** The name that is wished for, or the old one with another state. */
function renamed({ name }: { readonly name: string }, { wish, random }: Maker): { name: string } {
  return { name: wish.name ?? withNewState(name, random) };
}

function addressOf({ project_id, template_checklist_id, id }: TemplateCheckItem) {
  return { projectId: project_id, checklistId: template_checklist_id, itemId: id };
}

export const CHANGES = {
  'create project': {
    type: 'project.created',
    make: ({ world, random, wish }) => {
      const name = wish.name ?? shortProjectName(random);
      const fields = { name, code: projectCode(name, random), color: projectColor(random) };
      const lasting = project.rows(world).filter((row) => isAlive(row) && !isShort(row));
      const plan = lasting.length < MIN_LASTING ? {} : { plan_name: SHORT_PLAN };
      return project.path(world.projects.create({ ...fields, ...plan }));
    },
  },
  'rename project': changeOf('project.updated', project, isAlive, (row, maker) =>
    project.path(maker.world.projects.update(row.id, renamed(row, maker))),
  ),
  'delete project': changeOf('project.deleted', project, isAlive, ({ id }, { world }) =>
    project.path(world.projects.remove(id)),
  ),
  'restore project': changeOf('project.restored', project, isDeleted, ({ id }, { world }) =>
    project.path(world.projects.restore(id)),
  ),

  /** Leaves no trace, as the two below: a reconcile finds it. */
  'destroy project': changeOf('project.deleted', project, isAlive, (row, { world }) => {
    world.projects.destroy(row.id);
    return project.path(row);
  }),

  'create floorplan': changeOf('floorplan.created', project, isAlive, ({ id }, maker) => {
    const name = maker.wish.name ?? floorplanName(maker.random);
    return floorplan.path(maker.world.floorplans.create(id, { name }));
  }),
  'rename floorplan': changeOf('floorplan.updated', floorplan, isAlive, (row, maker) =>
    floorplan.path(maker.world.floorplans.update(row.project_id, row.id, renamed(row, maker))),
  ),
  'rotate floorplan': changeOf('floorplan.updated', floorplan, isAlive, (row, { world }) =>
    floorplan.path(world.floorplans.rotate(row.project_id, row.id)),
  ),
  'describe floorplan': changeOf('floorplan.updated', floorplan, isAlive, (row, { world }) => {
    const description = row.description === null ? LONG_DESCRIPTION : null;
    return floorplan.path(world.floorplans.update(row.project_id, row.id, { description }));
  }),
  'upload sheet': changeOf('sheet.created', floorplan, isAlive, (row, { world }) => {
    const { current_sheet } = world.floorplans.uploadSheet(row.project_id, row.id);
    return `${floorplan.path(row)}/sheets/${current_sheet?.id ?? ''}`;
  }),
  'delete floorplan': changeOf('floorplan.deleted', floorplan, isAlive, (row, { world }) =>
    floorplan.path(world.floorplans.remove(row.project_id, row.id)),
  ),
  'restore floorplan': changeOf('floorplan.restored', floorplan, isDeleted, (row, { world }) =>
    floorplan.path(world.floorplans.restore(row.project_id, row.id)),
  ),
  'destroy floorplan': changeOf('floorplan.deleted', floorplan, isAlive, (row, { world }) => {
    world.floorplans.destroy(row.project_id, row.id);
    return floorplan.path(row);
  }),

  'create checklist': changeOf('template_checklist.created', project, isAlive, ({ id }, maker) => {
    const name = maker.wish.name ?? checklistName(maker.random);
    return checklist.path(maker.world.checklists.create(id, { name }, siteUser(maker.random)));
  }),
  'rename checklist': changeOf('template_checklist.updated', checklist, isAlive, (row, maker) => {
    const { world, random } = maker;
    const fields = renamed(row, maker);
    const user = siteUser(random);
    return checklist.path(world.checklists.update(row.project_id, row.id, fields, user));
  }),
  'delete checklist': changeOf('template_checklist.deleted', checklist, isAlive, (row, { world }) =>
    checklist.path(world.checklists.remove(row.project_id, row.id)),
  ),
  'restore checklist': changeOf(
    'template_checklist.restored',
    checklist,
    isDeleted,
    (row, { world }) => checklist.path(world.checklists.restore(row.project_id, row.id)),
  ),
  'destroy checklist': changeOf(
    'template_checklist.deleted',
    checklist,
    isAlive,
    (row, { world }) => {
      world.checklists.destroy(row.project_id, row.id);
      return checklist.path(row);
    },
  ),

  'add item': changeOf(
    'template_check_item.created',
    checklist,
    (row) => isAlive(row) && row.template_check_items.length < MAX_ITEMS,
    (row, { world, random, wish }) => {
      const name = wish.name ?? checkItemName(random);
      const user = siteUser(random);
      const changed = world.checklists.addItem(row.project_id, row.id, { name }, user);
      const added = changed.template_check_items.at(-1);
      return added === undefined ? checklist.path(row) : item.path(added);
    },
  ),
  'rename item': changeOf('template_check_item.updated', item, isAlive, (row, maker) => {
    const fields = renamed(row, maker);
    maker.world.checklists.updateItem(addressOf(row), fields, siteUser(maker.random));
    return item.path(row);
  }),
  'delete item': changeOf('template_check_item.deleted', item, isAlive, (row, maker) => {
    maker.world.checklists.removeItem(addressOf(row), siteUser(maker.random));
    return item.path(row);
  }),
  'restore item': changeOf('template_check_item.restored', item, isDeleted, (row, maker) => {
    maker.world.checklists.restoreItem(addressOf(row), siteUser(maker.random));
    return item.path(row);
  }),

  'create task': changeOf('task.created', project, isAlive, ({ id }, { world, random }) =>
    task.path(world.tasks.create(id, { name: checkItemName(random) })),
  ),
  'finish task': changeOf(
    'task.updated',
    task,
    (row) => isAlive(row) && row.status === 'open',
    (row, { world }) => task.path(world.tasks.finish(row.project_id, row.id)),
  ),
} satisfies Record<string, SiteChange>;

export type ChangeName = keyof typeof CHANGES;

export const CHANGE_NAMES = Object.keys(CHANGES) as ChangeName[];

/** Makes changes of one world, by chance or as wished. */
export class SiteChanges {
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  /**
   * @returns the `subject` of the event that follows; undefined if no entity suits.
   * @throws WorldError when the wished entity may not change.
   */
  make(name: ChangeName, wish: Wish = {}): string | undefined {
    const change: SiteChange = CHANGES[name];
    return change.make({ world: this.#world, random: this.#random, wish });
  }
}
