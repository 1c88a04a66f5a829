import { makeChange, type ChangeName } from './changes.ts';
import type { Floorplan } from './world/entities.ts';
import type { Row } from './world/entity-list.ts';
import { SHORT_PLAN } from './world/projects.ts';
import { Random } from './world/random.ts';
import type { World } from './world/world.ts';

const DEFAULT_RATE = 2;

/** Rest of an entity after a change: who polls every few seconds sees each change. */
const REST_MS = 15_000;
/** Deleted projects from which on one is restored instead of a new one: their lists stay known. */
const MAX_DELETED_PROJECTS = 80;

/**
 * A turn of the script: as many entities are created and restored as deleted. What is restored was
 * deleted a turn earlier.
 */
const SCRIPT: readonly ChangeName[] = [
  ...(['create project', 'create floorplan', 'delete project', 'upload sheet'] as const),
  ...(['create checklist', 'add item', 'rename floorplan', 'rename sheet', 'rename item'] as const),
  ...(['delete floorplan', 'delete sheet', 'rename project', 'rotate floorplan'] as const),
  ...(['rename checklist', 'delete checklist', 'delete item'] as const),
  ...(['restore project', 'restore floorplan', 'restore item', 'restore checklist'] as const),
  ...(['delete floorplan', 'restore sheet', 'delete item', 'delete checklist'] as const),
  'delete project',
];

/**
 * A building site's day: a script of all changes, again and again, of entities that the seed
 * chooses. At 2 changes per second a turn takes 12 seconds. Short projects are created and
 * deleted; the lists of lasting ones change.
 */
export class Activity {
  readonly #world: World;
  readonly #random: Random;
  #place = 0;
  #rate = DEFAULT_RATE;
  #timer: NodeJS.Timeout | undefined;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#random = new Random(seed, 'activity');
  }

  get running(): boolean {
    return this.#timer !== undefined;
  }

  /** Starts, or changes the rate. @param rate changes per second; absent: as before. */
  start(rate = this.#rate): void {
    this.stop();
    this.#rate = rate;
    this.#timer = setInterval(() => this.step(), 1000 / rate);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Makes the next change of the script. @returns it; undefined if no entity is at rest. */
  step(): ChangeName | undefined {
    let name = SCRIPT[this.#place % SCRIPT.length] ?? 'create project';
    this.#place += 1;
    if (name === 'create project' && this.#hasManyDeletedProjects()) name = 'restore project';
    const rested = new Date(this.#world.now() - REST_MS).toISOString();
    const isFree = (row: Row): boolean =>
      // A created entity needs a parent, which does not change.
      (name.startsWith('create') || row.updated_at <= rested) && this.#mayChange(name, row);
    const subject = makeChange(name, this.#world, this.#random, { isFree });
    return subject === undefined ? undefined : name;
  }

  #mayChange(name: ChangeName, row: Row & Partial<Floorplan>): boolean {
    // A deleted sheet waits for its restore.
    const isSheetDeleted = typeof row.current_sheet?.deleted_at === 'string';
    if (isSheetDeleted && name !== 'restore sheet') return false;
    const project = this.#world.projects.get(row.project_id ?? row.id);
    const isOfProjects = name === 'delete project' || name === 'restore project';
    return name === 'rename project' || (project.plan_name === SHORT_PLAN) === isOfProjects;
  }

  #hasManyDeletedProjects(): boolean {
    const deleted = this.#world.projects.all().filter((row) => row.deleted_at !== null);
    return deleted.length >= MAX_DELETED_PROJECTS;
  }
}
