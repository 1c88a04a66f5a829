import { SiteChanges, type ChangeName } from './changes.ts';
import type { Row } from './world/collection.ts';
import { isShort } from './world/projects.ts';
import { Random } from './world/random.ts';
import type { World } from './world/world.ts';

/** Default changes per second. */
export const DEFAULT_RATE = 2;
/** Maximum changes per second. */
export const HIGHEST_RATE = 100;

/** Rest of an entity after a change: who polls every few seconds sees each change. */
const REST_MS = 15_000;
/** Deleted projects from which on one is restored instead of a new one: their lists stay known. */
const MAX_DELETED_PROJECTS = 80;
/** Living floorplans, and checklists, from which on a turn deletes one more. */
const MAX_ALIVE = 50;

/** A turn of the script. `balance` keeps the number of entities. */
const SCRIPT: readonly (ChangeName | 'balance')[] = [
  ...(['create project', 'create floorplan', 'upload sheet', 'create checklist'] as const),
  ...(['add item', 'rename floorplan', 'rename item', 'delete floorplan'] as const),
  ...(['rename project', 'rotate floorplan', 'rename checklist', 'delete checklist'] as const),
  ...(['delete project', 'restore floorplan', 'delete item', 'restore project'] as const),
  ...(['restore item', 'balance', 'restore checklist', 'delete item'] as const),
  ...(['balance', 'delete project'] as const),
];

/** What is created if no entity is at rest. */
const CREATED_INSTEAD: Partial<Record<ChangeName, ChangeName>> = {
  'rename project': 'create project',
  'rename floorplan': 'create floorplan',
  'rotate floorplan': 'create floorplan',
  'upload sheet': 'create floorplan',
  'rename checklist': 'create checklist',
  'add item': 'create checklist',
  'rename item': 'add item',
};

export interface ActivityOptions {
  readonly seed: number;
  /** Changes per second. Default {@link DEFAULT_RATE}. */
  readonly rate?: number;
  /** Whether some floorplans become too large for a message. Default false. */
  readonly large?: boolean;
  /** Whether there are tasks. Default false. */
  readonly additional?: boolean;
}

/**
 * A building site's day: a script of all changes, again and again, of entities that the seed
 * chooses. At 2 changes per second a turn takes 11 seconds. Short projects are created and
 * deleted; the lists of lasting ones change.
 */
export class Activity {
  readonly #world: World;
  readonly #changes: SiteChanges;
  readonly #script: readonly (ChangeName | 'balance')[];
  #place = 0;
  #rate: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(world: World, { seed, rate = DEFAULT_RATE, large, additional }: ActivityOptions) {
    this.#world = world;
    this.#changes = new SiteChanges(world, new Random(seed, 'activity'));
    this.#rate = checkRate(rate);
    this.#script = [
      ...SCRIPT,
      ...(large ? (['describe floorplan'] as const) : []),
      ...(additional ? (['create task', 'finish task'] as const) : []),
    ];
  }

  /** Changes per second. */
  get rate(): number {
    return this.#rate;
  }

  get running(): boolean {
    return this.#timer !== undefined;
  }

  /**
   * Starts, or changes the rate.
   *
   * @param rate changes per second, up to {@link HIGHEST_RATE}; absent: as before.
   * @throws RangeError when the rate is out of range.
   */
  start(rate: number = this.#rate): void {
    this.#rate = checkRate(rate);
    this.stop();
    this.#timer = setInterval(() => this.step(), 1000 / this.#rate);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Makes the next change of the script. @returns it; undefined if no entity is at rest. */
  step(): ChangeName | undefined {
    const step = this.#script[this.#place % this.#script.length];
    this.#place += 1;
    let name = step === 'balance' ? this.#balance() : step;
    if (name === 'create project' && this.#hasManyDeletedProjects()) name = 'restore project';
    while (name !== undefined && !this.#make(name)) name = CREATED_INSTEAD[name];
    return name;
  }

  #make(name: ChangeName): boolean {
    const rested = new Date(this.#world.now() - REST_MS).toISOString();
    const isFree = (row: Row): boolean =>
      // What is created needs a parent, which does not change.
      (name.startsWith('create') || row.updated_at <= rested) && this.#mayChange(name, row);
    return this.#changes.make(name, { isFree }) !== undefined;
  }

  #mayChange(name: ChangeName, row: Row & { readonly project_id?: string }): boolean {
    const project = this.#world.projects.list.newest(row.project_id ?? row.id);
    const isOfProjects = name === 'delete project' || name === 'restore project';
    return name === 'rename project' || isShort(project) === isOfProjects;
  }

  #balance(): ChangeName | undefined {
    const { projects, floorplans, checklists } = this.#world;
    const alive = projects.list.all().filter(({ deleted_at }) => deleted_at === null);
    const most = Math.max(MAX_ALIVE, (this.#rate * REST_MS) / 1000);
    const count = (lists: typeof floorplans | typeof checklists): number =>
      alive.reduce((sum, { id }) => sum + lists.list(id).alive, 0);
    if (count(floorplans) > most) return 'delete floorplan';
    return count(checklists) > most ? 'delete checklist' : undefined;
  }

  #hasManyDeletedProjects(): boolean {
    const { size, alive } = this.#world.projects.list;
    return size - alive >= MAX_DELETED_PROJECTS;
  }
}

function checkRate(rate: number): number {
  if (rate > 0 && rate <= HIGHEST_RATE) return rate;
  throw new RangeError(
    `The activity's rate must be above 0 and at most ${HIGHEST_RATE}, got ${rate}`,
  );
}
