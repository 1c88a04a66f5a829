import { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';
import { ACTIONS, type Action } from './actions.ts';
import { REST_MS, Site } from './site.ts';

/** Changes a second. */
export const DEFAULT_RATE = 2;
/** The most changes a second that can be asked for. */
export const HIGHEST_RATE = 100;

/** What is sure to happen in each round of about {@link ROUND_SECONDS}. */
const ROUND_ACTIONS: readonly Action[] = [
  'create project',
  'update project',
  'delete project',
  'create floorplan',
  'rename floorplan',
  'delete floorplan',
  'restore floorplan',
  'create checklist',
  'rename checklist',
  'delete checklist',
];
const ROUND_SECONDS = 10;

/** What happens besides, as often as it stands here. */
const EXTRA_ACTIONS: readonly [Action, ...Action[]] = [
  'rename floorplan',
  'rename floorplan',
  'rotate floorplan',
  'rotate floorplan',
  'rotate floorplan',
  'upload sheet',
  'upload sheet',
  'upload sheet',
  'rename checklist',
  'rename checklist',
  'edit item',
  'edit item',
  'edit item',
  'edit item',
  'add item',
  'add item',
  'remove item',
  'update project',
  'restore checklist',
  'restore project',
];

/** What happens in a round when there is nothing at rest to do the deed to. */
const FALLBACK_ACTIONS: Partial<Record<Action, Action>> = {
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

/** More short projects than this, and one is deleted. */
const SHORT_PROJECTS_MAX = 6;
/** How far the number of entities may be from where it is held. */
const SLACK = 0.2;

/** What {@link Activity} depends on. */
export interface ActivityOptions {
  readonly seed: number;
  /** The projects it may delete; those it makes come on top. */
  readonly shortProjects: readonly string[];
  /** Changes a second. Default {@link DEFAULT_RATE}. */
  readonly rate?: number;
}

/**
 * A building site's day: a sequence of changes that depends on the seed and the clock alone.
 *
 * It goes in rounds of about 10 s. In each round projects, floorplans and checklists are created,
 * updated and deleted, and a floorplan is restored, in random order with other deeds in between; so
 * any 20 s show all of it, at 1 to 2 changes a second in a world of the default size. Entities rest
 * between two changes, see {@link REST_MS}. The number of entities that are not deleted is held near
 * where it was, or near what so many changes need.
 */
export class Activity {
  readonly #site: Site;
  readonly #random: Random;
  #rate: number;
  #timer: NodeJS.Timeout | undefined;
  #round: (Action | undefined)[] = [];
  #target: { floorplans: number; checklists: number } | undefined;

  constructor(world: World, options: ActivityOptions) {
    this.#random = new Random(options.seed, 'activity');
    this.#site = new Site(world, this.#random, options.shortProjects);
    this.#rate = checkRate(options.rate ?? DEFAULT_RATE);
  }

  /** Changes a second. */
  get rate(): number {
    return this.#rate;
  }

  /** Whether changes are being made now. */
  get running(): boolean {
    return this.#timer !== undefined;
  }

  /**
   * Starts making changes, or goes on with another rate.
   *
   * @param rate changes a second, up to {@link HIGHEST_RATE}; absent: as before.
   * @throws RangeError when the rate is out of range.
   */
  start(rate: number = this.#rate): void {
    this.#rate = checkRate(rate);
    this.stop();
    this.#target = undefined;
    this.#timer = setInterval(() => this.step(), 1000 / this.#rate);
  }

  /** Makes no more changes until started again. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Makes one change at once.
   *
   * @returns what happened; undefined when there was nothing at rest to do it to.
   */
  step(): Action | undefined {
    if (this.#round.length === 0) this.#round = this.#newRound();
    const due = this.#round.pop();
    if (due === undefined) {
      const action = this.#pickExtra();
      return ACTIONS[action](this.#site) ? action : undefined;
    }
    for (
      let action: Action | undefined = due;
      action !== undefined;
      action = FALLBACK_ACTIONS[action]
    ) {
      if (ACTIONS[action](this.#site)) return action;
    }
    return undefined;
  }

  /** What is sure to happen, in random order, and gaps for what happens besides. */
  #newRound(): (Action | undefined)[] {
    const length = Math.max(ROUND_ACTIONS.length, Math.round(this.#rate * ROUND_SECONDS));
    return this.#random.shuffle(Array.from({ length }, (_, index) => ROUND_ACTIONS[index]));
  }

  #pickExtra(): Action {
    if (this.#site.aliveShortProjects() > SHORT_PROJECTS_MAX) return 'delete project';
    const alive = this.#countAlive();
    this.#target ??= this.#startingTarget(alive);
    if (alive.floorplans > this.#target.floorplans * (1 + SLACK)) return 'delete floorplan';
    if (alive.floorplans < this.#target.floorplans * (1 - SLACK)) return 'create floorplan';
    if (alive.checklists > this.#target.checklists * (1 + SLACK)) return 'delete checklist';
    if (alive.checklists < this.#target.checklists * (1 - SLACK)) return 'create checklist';
    return this.#random.pick(EXTRA_ACTIONS);
  }

  /** As many as there are, but enough for one to be at rest at any time. */
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
    `the activity's rate must be a number of changes a second, above 0 and at most ${HIGHEST_RATE}, got ${rate}`,
  );
}
