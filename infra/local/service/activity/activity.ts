import { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';
import { ACTIONS, type Action } from './actions.ts';
import { REST_MS, Site } from './site.ts';

/** Default changes per second. */
export const DEFAULT_RATE = 2;
/** Maximum changes per second. */
export const HIGHEST_RATE = 100;

/**
 * Actions of each round of about {@link ROUND_SECONDS}, each with a replacement if it finds no entity
 * at rest.
 */
const ROUND_ACTIONS: Partial<Record<Action, Action | undefined>> = {
  'create project': undefined,
  'update project': 'create project',
  'delete project': 'create project',
  'create floorplan': 'create project',
  'rename floorplan': 'create floorplan',
  'delete floorplan': 'create floorplan',
  'restore floorplan': 'delete floorplan',
  'create checklist': 'create project',
  'rename checklist': 'create checklist',
  'delete checklist': 'create checklist',
};
const ROUND_SECONDS = 10;

/** Additional actions with their weights. */
const EXTRA_WEIGHTS: readonly [Action, number][] = [
  ['rename floorplan', 2],
  ['rotate floorplan', 3],
  ['upload sheet', 3],
  ['rename checklist', 2],
  ['edit item', 4],
  ['add item', 2],
  ['remove item', 1],
  ['update project', 1],
  ['restore checklist', 1],
  ['restore project', 1],
];
/** Additional actions of a service with large entities. */
const LARGE_WEIGHTS: readonly [Action, number][] = [['describe floorplan', 4]];
/** Additional actions of a service with the additional list. */
const TASK_WEIGHTS: readonly [Action, number][] = [
  ['create task', 3],
  ['finish task', 2],
];

/** Maximum number of short projects; beyond it one is deleted. */
const SHORT_PROJECTS_MAX = 6;
/**
 * Deleted projects from which on one is restored instead of creating another, since their lists stay known to who
 * polls them; at high rates that many per change in a second.
 */
const DELETED_MIN = 80;
const DELETED_PER_RATE = 12;
/** Allowed relative deviation from the target number of entities. */
const SLACK = 0.2;

export interface ActivityOptions {
  readonly seed: number;
  /** Projects that it may delete, besides its own. */
  readonly shortProjects: readonly string[];
  /** Changes per second. Default {@link DEFAULT_RATE}. */
  readonly rate?: number;
  /** Whether some floorplans become too large for a message. Default false. */
  readonly large?: boolean;
  /** Whether there are tasks. Default false. */
  readonly additional?: boolean;
}

/**
 * A building site's day: a sequence of changes that depends on the seed and the clock alone.
 *
 * In each round of about 10 s, projects, floorplans and checklists are created, updated and
 * deleted, and a floorplan is restored, in random order among other actions. At 1 to 2 changes per
 * second, a world of the default size shows all of them in any 20 s. Entities rest between two
 * changes, see {@link REST_MS}. The number of alive entities stays near its start, or near the
 * number that the rate requires.
 */
export class Activity {
  readonly #site: Site;
  readonly #random: Random;
  readonly #extraActions: readonly Action[];
  #rate: number;
  #timer: NodeJS.Timeout | undefined;
  #round: (Action | undefined)[] = [];
  #target: { floorplans: number; checklists: number } | undefined;

  constructor(world: World, options: ActivityOptions) {
    this.#random = new Random(options.seed, 'activity');
    this.#site = new Site(world, this.#random, options.shortProjects);
    this.#rate = checkRate(options.rate ?? DEFAULT_RATE);
    const weights = [
      ...EXTRA_WEIGHTS,
      ...(options.large ? LARGE_WEIGHTS : []),
      ...(options.additional ? TASK_WEIGHTS : []),
    ];
    this.#extraActions = weights.flatMap(([action, weight]) =>
      Array.from({ length: weight }, () => action),
    );
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
    this.#target = undefined;
    this.#timer = setInterval(() => this.step(), 1000 / this.#rate);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Makes one change now.
   *
   * @returns the action; undefined if it found no entity at rest.
   */
  step(): Action | undefined {
    if (this.#round.length === 0) this.#round = this.#newRound();
    let action = this.#round.pop();
    if (action === undefined) {
      action = this.#pickExtra();
      return action !== undefined && ACTIONS[action](this.#site) ? action : undefined;
    }
    if (action === 'create project' && this.#hasManyDeletedProjects()) {
      if (ACTIONS['restore project'](this.#site)) return 'restore project';
    }
    while (action !== undefined && !ACTIONS[action](this.#site)) action = ROUND_ACTIONS[action];
    return action;
  }

  #hasManyDeletedProjects(): boolean {
    const { size, alive } = this.#site.world.projects.list;
    return size - alive >= Math.max(DELETED_MIN, DELETED_PER_RATE * this.#rate);
  }

  /** The actions of a round in random order, with gaps for additional actions. */
  #newRound(): (Action | undefined)[] {
    const actions = Object.keys(ROUND_ACTIONS) as Action[];
    const length = Math.max(actions.length, Math.round(this.#rate * ROUND_SECONDS));
    return this.#random.shuffle(Array.from({ length }, (_, index) => actions[index]));
  }

  #pickExtra(): Action | undefined {
    if (this.#site.aliveShortProjects() > SHORT_PROJECTS_MAX) return 'delete project';
    const alive = this.#countAlive();
    this.#target ??= this.#startingTarget(alive);
    if (alive.floorplans > this.#target.floorplans * (1 + SLACK)) return 'delete floorplan';
    if (alive.floorplans < this.#target.floorplans * (1 - SLACK)) return 'create floorplan';
    if (alive.checklists > this.#target.checklists * (1 + SLACK)) return 'delete checklist';
    if (alive.checklists < this.#target.checklists * (1 - SLACK)) return 'create checklist';
    return this.#extraActions[this.#random.below(this.#extraActions.length)];
  }

  /** The current number, but at least enough for one entity to be at rest at any time. */
  #startingTarget(alive: { floorplans: number; checklists: number }) {
    const needed = (this.#rate * REST_MS) / 1000;
    return {
      floorplans: Math.max(alive.floorplans, needed),
      checklists: Math.max(alive.checklists, needed),
    };
  }

  #countAlive(): { floorplans: number; checklists: number } {
    const { floorplans, checklists } = this.#site.world;
    const alive = { floorplans: 0, checklists: 0 };
    for (const { id } of this.#site.aliveProjects()) {
      alive.floorplans += floorplans.list(id).alive;
      alive.checklists += checklists.list(id).alive;
    }
    return alive;
  }
}

function checkRate(rate: number): number {
  if (rate > 0 && rate <= HIGHEST_RATE) return rate;
  throw new RangeError(
    `The activity's rate must be above 0 and at most ${HIGHEST_RATE}, got ${rate}`,
  );
}
