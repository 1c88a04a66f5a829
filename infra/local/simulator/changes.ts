/**
 * Every change of the building site, once: the activity, `sitecast trigger` and the console make
 * them from this catalogue.
 */
import {
  checklist,
  floorplan,
  isAlive,
  item,
  project,
  sheet,
  type Kind,
  type NamedRow,
  type Verb,
} from './kinds.ts';
import type { Row } from './world/entity-list.ts';
import {
  checkItemName,
  checklistName,
  floorplanName,
  projectCode,
  shortProjectName,
  withNewState,
} from './world/names.ts';
import { SHORT_PLAN } from './world/projects.ts';
import type { Random } from './world/random.ts';
import type { World } from './world/world.ts';

/** Items that a checklist has at most, unless a certain checklist is wished for. */
const MAX_ITEMS = 12;

/** A wished name, and an entity. Absent fields are left to chance. */
export interface Wish {
  readonly name?: string | undefined;
  /** Id of the entity to change, or of the parent of a new one. */
  readonly id?: string | undefined;
  /** Whether an entity may change now. */
  readonly isFree?: (row: Row) => boolean;
}

interface Maker extends Wish {
  readonly world: World;
  readonly random: Random;
}

interface Change {
  /** Type of the event that follows. */
  readonly type: string;
  /** @returns the `subject` of the event; undefined if no entity suits. */
  readonly make: (maker: Maker) => string | undefined;
}

/** A change of an entity that suits, or of the one that is wished for. */
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
    [`restore ${noun}`]: change(
      `${entity}.restored`,
      kind,
      changed('restore'),
      (row) => !isAlive(row),
    ),
  } as Record<`${Verb} ${N}`, Change>;
}

export const CHANGES = {
  'create project': {
    type: 'project.created',
    make: ({ world, random, name: wished }) => {
      const name = wished ?? shortProjectName(random);
      const code = projectCode(name, random);
      // The activity must not delete a person's entities.
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
} satisfies Record<string, Change>;

export type ChangeName = keyof typeof CHANGES;

export const CHANGE_NAMES = Object.keys(CHANGES) as ChangeName[];

/** Makes a change. @throws ServiceError when the wished entity may not change. */
export function makeChange(
  name: ChangeName,
  world: World,
  random: Random,
  wish: Wish = {},
): string | undefined {
  return CHANGES[name].make({ ...wish, world, random });
}
