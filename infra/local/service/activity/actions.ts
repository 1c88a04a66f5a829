import type { Row } from '../world/collection.ts';
import type { TemplateCheckItem, TemplateChecklist } from '../world/entities.ts';
import {
  checkItemName,
  checklistName,
  floorplanName,
  projectCode,
  projectColor,
  projectName,
  shortProjectName,
  withNewState,
} from '../world/names.ts';
import { siteUser } from '../world/seed.ts';
import type { Site } from './site.ts';

/** Maximum number of items in a checklist. */
const ITEMS_MAX = 12;
/** A description of this length makes events too large for a message of 256 KiB. */
const LONG_DESCRIPTION_LENGTH = 270_000;
/** Number of names for lasting projects. */
const PROJECT_NAMES = 40;

const isAlive = (row: Row): boolean => row.deleted_at === null;
const isDeleted = (row: Row): boolean => row.deleted_at !== null;

/** Applies an action if an entity was found. Returns whether one was. */
function change<T>(found: T | undefined, how: (found: T) => void): boolean {
  if (found === undefined) return false;
  how(found);
  return true;
}

const floorplan = (site: Site, matches = isAlive) =>
  site.pick((projectId) => site.world.floorplans.list(projectId), matches);

const checklist = (site: Site, matches: (row: TemplateChecklist) => boolean = isAlive) =>
  site.pick((projectId) => site.world.checklists.list(projectId), matches);

const userOn = (site: Site): number => siteUser(site.random);

function changeItem(site: Site, how: (item: TemplateCheckItem) => void): boolean {
  const found = checklist(site, (row) => isAlive(row) && row.template_check_items.some(isAlive));
  const items = found?.template_check_items.filter(isAlive) ?? [];
  return change(items[site.random.below(items.length)], how);
}

/**
 * Everything that can happen on a building site. An action changes one entity, or returns false if
 * no suitable entity is at rest.
 */
export const ACTIONS = {
  'create project': (site: Site) => {
    const lasts = site.needsLastingProject();
    const { random } = site;
    const name = lasts ? projectName(random.below(PROJECT_NAMES)) : shortProjectName(random);
    const code = projectCode(name, random);
    const project = site.world.projects.create({ name, code, color: projectColor(random) });
    if (!lasts) site.markShort(project.id);
    return true;
  },
  'update project': (site: Site) =>
    change(site.projectToUpdate(), ({ id, name }) =>
      site.world.projects.update(id, { name: withNewState(name, site.random) }),
    ),
  'delete project': (site: Site) =>
    change(site.projectToDelete(), ({ id }) => site.world.projects.remove(id)),
  'restore project': (site: Site) =>
    change(site.projectToRestore(), ({ id }) => site.world.projects.restore(id)),

  'create floorplan': (site: Site) =>
    change(site.pickOpenProject(), ({ id }) =>
      site.world.floorplans.create(id, { name: floorplanName(site.random) }),
    ),
  'rename floorplan': (site: Site) =>
    change(floorplan(site), ({ project_id, id, name }) =>
      site.world.floorplans.update(project_id, id, { name: withNewState(name, site.random) }),
    ),
  'rotate floorplan': (site: Site) =>
    change(floorplan(site), ({ project_id, id }) => site.world.floorplans.rotate(project_id, id)),
  'describe floorplan': (site: Site) =>
    change(floorplan(site), ({ project_id, id, description }) => {
      const isLong = (description ?? '').length >= LONG_DESCRIPTION_LENGTH;
      const long = 'See the drawing. '
        .repeat(LONG_DESCRIPTION_LENGTH)
        .slice(0, LONG_DESCRIPTION_LENGTH);
      site.world.floorplans.update(project_id, id, { description: isLong ? null : long });
    }),
  'upload sheet': (site: Site) =>
    change(floorplan(site), ({ project_id, id }) =>
      site.world.floorplans.uploadSheet(project_id, id),
    ),
  'delete floorplan': (site: Site) =>
    change(floorplan(site), ({ project_id, id }) => site.world.floorplans.remove(project_id, id)),
  'restore floorplan': (site: Site) =>
    change(floorplan(site, isDeleted), ({ project_id, id }) =>
      site.world.floorplans.restore(project_id, id),
    ),

  'create checklist': (site: Site) =>
    change(site.pickOpenProject(), ({ id }) =>
      site.world.checklists.create(id, { name: checklistName(site.random) }, userOn(site)),
    ),
  'rename checklist': (site: Site) =>
    change(checklist(site), ({ project_id, id, name }) => {
      const fields = { name: withNewState(name, site.random) };
      site.world.checklists.update(project_id, id, fields, userOn(site));
    }),
  'delete checklist': (site: Site) =>
    change(checklist(site), ({ project_id, id }) => site.world.checklists.remove(project_id, id)),
  'restore checklist': (site: Site) =>
    change(checklist(site, isDeleted), ({ project_id, id }) =>
      site.world.checklists.restore(project_id, id),
    ),

  'add item': (site: Site) =>
    change(
      checklist(site, (row) => isAlive(row) && row.template_check_items.length < ITEMS_MAX),
      ({ project_id, id }) => {
        const fields = { name: checkItemName(site.random) };
        site.world.checklists.addItem(project_id, id, fields, userOn(site));
      },
    ),
  'edit item': (site: Site) =>
    changeItem(site, (item) => {
      const fields = { name: withNewState(item.name, site.random) };
      site.world.checklists.updateItem(addressOf(item), fields, userOn(site));
    }),
  'remove item': (site: Site) =>
    changeItem(site, (item) => site.world.checklists.removeItem(addressOf(item), userOn(site))),

  'create task': (site: Site) =>
    change(site.pickOpenProject(), ({ id }) =>
      site.world.tasks.create(id, { name: checkItemName(site.random) }),
    ),
  'finish task': (site: Site) =>
    change(
      site.pick(
        (projectId) => site.world.tasks.list(projectId),
        (row) => isAlive(row) && row.status === 'open',
      ),
      ({ project_id, id }) => site.world.tasks.finish(project_id, id),
    ),
} satisfies Record<string, (site: Site) => boolean>;

export type Action = keyof typeof ACTIONS;

function addressOf({ project_id, template_checklist_id, id }: TemplateCheckItem) {
  return { projectId: project_id, checklistId: template_checklist_id, itemId: id };
}
