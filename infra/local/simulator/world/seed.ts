import {
  checkItemName,
  checklistName,
  floorplanName,
  projectCode,
  projectName,
  shortProjectName,
} from './names.ts';
import { SHORT_PLAN } from './projects.ts';
import { Random } from './random.ts';
import type { World } from './world.ts';

/** Size of the initial world, including deleted entities. */
const DEFAULT_SIZE = {
  projects: 6,
  /** Projects that the activity may delete. If there are any, one more is deleted. */
  shortProjects: 4,
  /** Floorplans of each project. About one in six is deleted, as of the checklists. */
  floorplans: 6,
  checklists: 5,
  /** Items of each checklist. */
  items: 4,
};
export type WorldSize = Readonly<Partial<typeof DEFAULT_SIZE>>;

const HISTORY_MS = 30 * 86_400_000;
const QUIET_MS = 3_600_000;

/** Fills an empty world with 30 days of history that ended an hour ago. */
export function seedWorld(world: World, seed: number, size: WorldSize = {}): void {
  const counts = { ...DEFAULT_SIZE, ...size };
  const { projects, shortProjects, floorplans, checklists, items } = counts;
  const maxChanges =
    (projects + shortProjects + 2) * (1 + 5 * floorplans + checklists * (items + 3));
  const gapMs = Math.floor((HISTORY_MS - QUIET_MS) / maxChanges);
  const history = historyOf(world, new Random(seed, 'first world'), counts);
  let time = world.now() - HISTORY_MS;
  while (!world.atOnce(() => history.next(), time).done) time += gapMs;
}

const removed = (time: string) => ({ deleted_at: time });

type Counts = typeof DEFAULT_SIZE;

function* historyOf(world: World, random: Random, counts: Counts): Generator {
  for (let index = 0; index < counts.projects; index += 1) {
    yield* projectHistory(world, random, counts, { name: projectName(index) });
  }
  if (counts.shortProjects === 0) return;
  for (let index = 0; index <= counts.shortProjects; index += 1) {
    const fields = { name: shortProjectName(random), plan_name: SHORT_PLAN };
    yield* projectHistory(world, random, counts, fields);
  }
  yield world.projects.remove(world.projects.all().at(-1)?.id ?? '');
}

function* projectHistory(
  { projects, floorplans, checklists }: World,
  random: Random,
  counts: Counts,
  fields: { readonly name: string; readonly plan_name?: string },
): Generator {
  const project = projects.create({ ...fields, code: projectCode(fields.name, random) });
  yield project;
  for (let index = 0; index < counts.floorplans; index += 1) {
    const { id } = floorplans.create(project.id, { name: floorplanName(random) });
    yield id;
    if (random.chance(0.9)) yield floorplans.uploadSheet(project.id, id);
    if (random.chance(0.2)) yield floorplans.rotate(project.id, id);
    if (index === 1) yield floorplans.updateSheet(project.id, id, removed);
    if (isDeleted(index, counts.floorplans)) yield floorplans.list(project.id).remove(id);
  }
  for (let index = 0; index < counts.checklists; index += 1) {
    const { id } = checklists.create(project.id, { name: checklistName(random) });
    yield id;
    for (let item = 0; item < counts.items; item += 1) {
      const { template_check_items: items } = checklists.addItem(project.id, id, {
        name: checkItemName(random),
      });
      yield items;
      const address = { projectId: project.id, checklistId: id, itemId: items.at(-1)?.id ?? '' };
      if (index === 1 && item === 1) yield checklists.updateItem(address, removed);
    }
    if (isDeleted(index, counts.checklists)) yield checklists.list(project.id).remove(id);
  }
}

/** Whether one of `count` entities is deleted: the last sixth of them, if there are two or more. */
function isDeleted(index: number, count: number): boolean {
  return count > 1 && index >= count - Math.ceil(count / 6);
}
