import {
  checkItemName,
  checklistName,
  floorplanName,
  projectCode,
  projectColor,
  projectName,
  shortProjectName,
} from './names.ts';
import { SHORT_PLAN } from './projects.ts';
import { Random } from './random.ts';
import { API_USER_ID, type World } from './world.ts';

/** Size of the initial world, including deleted entities. */
export interface WorldSize {
  /** Lasting projects. Default 6. */
  readonly projects?: number;
  /** Projects that the activity may delete. Default 4. If there are any, one more is deleted. */
  readonly shortProjects?: number;
  /** Floorplans of each project, of which about one in six is deleted. Default 6. */
  readonly floorplans?: number;
  /** Template checklists of each project, of which about one in six is deleted. Default 5. */
  readonly checklists?: number;
  /** Items of each checklist. Default 4. */
  readonly items?: number;
}

/** Number of users on site; their ids follow the API user's id. */
const SITE_USERS = 8;
const DAY_MS = 86_400_000;
/** Age of the first entity. */
const HISTORY_MS = 30 * DAY_MS;
/** Minimum age of the last change. */
const QUIET_MS = 3_600_000;

/** Fills an empty world with 30 days of history that ended an hour ago. */
export function seedWorld(world: World, seed: number, size: WorldSize = {}): void {
  new Seeding(world, seed, size).run();
}

export function siteUser(random: Random): number {
  return API_USER_ID + 1 + random.below(SITE_USERS);
}

class Seeding {
  readonly #world: World;
  readonly #random: Random;
  readonly #size: Required<WorldSize>;
  /** Maximum time between two changes, so that all changes fit into the history. */
  readonly #longestGapMs: number;
  #time: number;

  constructor(world: World, seed: number, size: WorldSize) {
    this.#world = world;
    this.#random = new Random(seed, 'first world');
    this.#size = { projects: 6, shortProjects: 4, floorplans: 6, checklists: 5, items: 4, ...size };
    const { projects, shortProjects, floorplans, checklists, items } = this.#size;
    // Maximum changes: creation, sheet, rotation and deletion of each floorplan, and so on.
    const changes =
      (projects + shortProjects + 1) * (2 + 4 * floorplans + checklists * (items + 2));
    this.#longestGapMs = (HISTORY_MS - QUIET_MS) / changes;
    this.#time = world.now() - HISTORY_MS;
  }

  run(): void {
    const { projects, shortProjects } = this.#size;
    for (let index = 0; index < projects; index += 1) this.#project(projectName(index));
    if (shortProjects === 0) return;
    for (let index = 0; index < shortProjects; index += 1) this.#shortProject();
    const deleted = this.#shortProject();
    this.#change(() => this.#world.projects.remove(deleted));
  }

  #shortProject(): string {
    return this.#project(shortProjectName(this.#random), { plan_name: SHORT_PLAN });
  }

  #project(name: string, plan: { readonly plan_name?: string } = {}): string {
    const code = this.#random.chance(0.8) ? projectCode(name, this.#random) : null;
    const color = projectColor(this.#random);
    const { id } = this.#change(() => this.#world.projects.create({ name, code, color, ...plan }));
    const floorplans = Array.from({ length: this.#size.floorplans }, () => this.#floorplan(id));
    const checklists = Array.from({ length: this.#size.checklists }, () => this.#checklist(id));
    for (const floorplan of aSixthOf(floorplans)) {
      this.#change(() => this.#world.floorplans.remove(id, floorplan));
    }
    for (const checklist of aSixthOf(checklists)) {
      this.#change(() => this.#world.checklists.remove(id, checklist));
    }
    return id;
  }

  #floorplan(projectId: string): string {
    const { floorplans } = this.#world;
    const name = floorplanName(this.#random);
    const { id } = this.#change(() => floorplans.create(projectId, { name }));
    if (this.#random.chance(0.9)) this.#change(() => floorplans.uploadSheet(projectId, id));
    if (this.#random.chance(0.2)) this.#change(() => floorplans.rotate(projectId, id));
    return id;
  }

  #checklist(projectId: string): string {
    const { checklists } = this.#world;
    const user = siteUser(this.#random);
    const name = checklistName(this.#random);
    const { id } = this.#change(() => checklists.create(projectId, { name }, user));
    for (let item = 0; item < this.#size.items; item += 1) {
      const itemName = checkItemName(this.#random);
      this.#change(() => checklists.addItem(projectId, id, { name: itemName }, user));
    }
    return id;
  }

  #change<T>(work: () => T): T {
    this.#time += this.#random.below(this.#longestGapMs);
    return this.#world.at(this.#time, work);
  }
}

/** The last of the values: a sixth of them, at least one if there are two or more. */
function aSixthOf<T>(values: readonly T[]): T[] {
  return values.length < 2 ? [] : values.slice(-Math.ceil(values.length / 6));
}
