import { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import type { TemplateCheckItem } from '../world/entities.ts';
import {
  checkItemName,
  checklistName,
  floorplanName,
  projectName,
  withNewState,
} from '../world/names.ts';
import { Random } from '../world/random.ts';
import { API_USER_ID, type World } from '../world/world.ts';

/** Body of `POST /control/trigger`. */
export const triggerSchema = z.strictObject({ type: z.string() });

/** A row of a list, as far as choosing needs it. */
interface Choice {
  readonly deleted_at: string | null;
}

type Trigger = (world: World, random: Random) => string | undefined;

const isAlive = ({ deleted_at }: Choice): boolean => deleted_at === null;
const isDeleted = ({ deleted_at }: Choice): boolean => deleted_at !== null;

/** A random row; undefined if there is none. */
function choose<T>(rows: readonly T[], random: Random): T | undefined {
  return rows[random.below(rows.length)];
}

const projects = (world: World) => world.projects.list.all();
const below = <T>(world: World, listOf: (projectId: string) => { all(): readonly T[] }): T[] =>
  projects(world)
    .filter(isAlive)
    .flatMap(({ id }) => [...listOf(id).all()]);
const floorplans = (world: World) => below(world, (id) => world.floorplans.list(id));
const checklists = (world: World) => below(world, (id) => world.checklists.list(id));
const items = (world: World, matches: (item: Choice) => boolean): TemplateCheckItem[] =>
  checklists(world)
    .filter(isAlive)
    .flatMap((list) => list.template_check_items.filter(matches));

const pathOf = ({ id }: { id: string }): string => `/projects/${id}`;
const planPath = (plan: { project_id: string; id: string }): string =>
  `/projects/${plan.project_id}/floorplans/${plan.id}`;
const listPath = (list: { project_id: string; id: string }): string =>
  `/projects/${list.project_id}/template_checklists/${list.id}`;
const itemPath = (item: TemplateCheckItem): string =>
  `${listPath({ project_id: item.project_id, id: item.template_checklist_id })}/template_check_items/${item.id}`;
const addressOf = (item: TemplateCheckItem) => ({
  projectId: item.project_id,
  checklistId: item.template_checklist_id,
  itemId: item.id,
});

/** Makes a trigger that changes one of the rows. @returns the path of the changed entity. */
function changing<T>(
  rowsOf: (world: World) => readonly T[],
  change: (world: World, row: T, random: Random) => string,
): Trigger {
  return (world, random) => {
    const row = choose(rowsOf(world), random);
    return row === undefined ? undefined : change(world, row, random);
  };
}

const aliveProjects = (world: World) => projects(world).filter(isAlive);
const alivePlans = (world: World) => floorplans(world).filter(isAlive);
const aliveLists = (world: World) => checklists(world).filter(isAlive);

/** One change that leads to an event of the type, by type. */
const TRIGGERS: Readonly<Record<string, Trigger>> = {
  'project.created': (world, random) =>
    pathOf(world.projects.create({ name: projectName(random.below(1000)) })),
  'project.updated': changing(aliveProjects, (world, { id, name }, random) =>
    pathOf(world.projects.update(id, { name: withNewState(name, random) })),
  ),
  'project.deleted': changing(aliveProjects, (world, { id }) => pathOf(world.projects.remove(id))),
  'project.restored': changing(
    (world) => projects(world).filter(isDeleted),
    (world, { id }) => pathOf(world.projects.restore(id)),
  ),
  'floorplan.created': changing(aliveProjects, (world, { id }, random) =>
    planPath(world.floorplans.create(id, { name: floorplanName(random) })),
  ),
  'floorplan.updated': changing(alivePlans, (world, plan, random) => {
    const fields = { name: withNewState(plan.name, random) };
    return planPath(world.floorplans.update(plan.project_id, plan.id, fields));
  }),
  'floorplan.deleted': changing(alivePlans, (world, plan) =>
    planPath(world.floorplans.remove(plan.project_id, plan.id)),
  ),
  'floorplan.restored': changing(
    (world) => floorplans(world).filter(isDeleted),
    (world, plan) => planPath(world.floorplans.restore(plan.project_id, plan.id)),
  ),
  'sheet.created': changing(alivePlans, (world, plan) => {
    const { current_sheet } = world.floorplans.uploadSheet(plan.project_id, plan.id);
    return `${planPath(plan)}/sheets/${current_sheet?.id ?? ''}`;
  }),
  'template_checklist.created': changing(aliveProjects, (world, { id }, random) =>
    listPath(world.checklists.create(id, { name: checklistName(random) }, API_USER_ID)),
  ),
  'template_checklist.updated': changing(aliveLists, (world, list, random) => {
    const fields = { name: withNewState(list.name, random) };
    return listPath(world.checklists.update(list.project_id, list.id, fields, API_USER_ID));
  }),
  'template_checklist.deleted': changing(aliveLists, (world, list) =>
    listPath(world.checklists.remove(list.project_id, list.id)),
  ),
  'template_checklist.restored': changing(
    (world) => checklists(world).filter(isDeleted),
    (world, list) => listPath(world.checklists.restore(list.project_id, list.id)),
  ),
  'template_check_item.created': changing(aliveLists, (world, list, random) => {
    const fields = { name: checkItemName(random) };
    const changed = world.checklists.addItem(list.project_id, list.id, fields, API_USER_ID);
    const added = changed.template_check_items.at(-1);
    return added === undefined ? listPath(changed) : itemPath(added);
  }),
  'template_check_item.updated': changing(
    (world) => items(world, isAlive),
    (world, item, random) => {
      const fields = { name: withNewState(item.name, random) };
      world.checklists.updateItem(addressOf(item), fields, API_USER_ID);
      return itemPath(item);
    },
  ),
  'template_check_item.deleted': changing(
    (world) => items(world, isAlive),
    (world, item) => {
      world.checklists.removeItem(addressOf(item), API_USER_ID);
      return itemPath(item);
    },
  ),
  'template_check_item.restored': changing(
    (world) => items(world, isDeleted),
    (world, item) => {
      world.checklists.restoreItem(addressOf(item), API_USER_ID);
      return itemPath(item);
    },
  ),
};

/** The types of events that a change can be triggered for. */
export const TRIGGER_TYPES = Object.keys(TRIGGERS);

/** Makes changes that lead to an event of a type. */
export class TriggerSource {
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#random = new Random(seed, 'trigger');
  }

  /**
   * Makes one change of a random entity.
   *
   * @returns the subject of the event to come.
   * @throws ApiError when the type is unknown, or no entity is there to change.
   */
  make(type: string): string {
    const trigger = Object.hasOwn(TRIGGERS, type) ? TRIGGERS[type] : undefined;
    if (trigger === undefined) {
      throw new ApiError(
        422,
        'invalid',
        `type is ${JSON.stringify(type)}; allowed: ${TRIGGER_TYPES.join(', ')}`,
      );
    }
    const subject = trigger(this.#world, this.#random);
    if (subject !== undefined) return subject;
    throw new ApiError(409, 'nothing_to_change', `there is no entity for ${type}`);
  }
}
