import { healthOf } from '../../functions/core/feeds/health.ts';
import { dueAt, type Feed } from '../../functions/core/model/feed.ts';
import type { RunRecord } from './chronicle.ts';
import { fewestRequestsOf } from './history/history.ts';
import type { Outage, ResourceOutage, SplitOutage } from './history/mishaps.ts';
import type { Retention } from './history/operations.ts';
import { hasSlowTie, slowAboveOf } from './memory.ts';
import type { Row } from './truth.ts';
import { MINUTE_MS, type World } from './world.ts';

/** Minutes that a list waits at most for an outage. */
const LONGEST_WAIT_MINUTES = 5;
/** Minutes in which a list that is due must be polled. */
const JUDGED_MINUTES = 5;
/** As many lists are polled in a few seconds, however few at once. */
const LISTS_OF_A_SHORT_RUN = 16;
const SOON_MS = 10_000;
/** Ticks in which an outage must be noticed: five lists may fail one after the other. */
const NOTICE_TICKS = 10;
/** Requests that a poll of a failing list takes. */
const ATTEMPTS = 3;

/** Sequences of events that chance alone would seldom bring about, and what is judged after them. */
export class Scripts {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * The whole service fails for some minutes, and then answers again, with a tick in each minute: a long
   * outage has one in three, since each costs as much as a run.
   */
  async outage({ how, minutes }: Outage): Promise<void> {
    // One that fails on its own by then waits for that.
    const before = new Set(this.#waiting());
    const { runs } = this.#world.chronicle;
    const firstRun = runs.length;
    this.#world.service.fail(how);
    const pause = minutes > 20 ? 3 : 1;
    await this.#world.tickEvery(pause, minutes / pause);
    this.#world.service.fail();
    if (how === 'is down') this.#noteUnaware(runs.slice(firstRun));
    this.#world.service.isSteady = true;
    await this.#world.tickEvery(1, LONGEST_WAIT_MINUTES + 2);
    this.#world.service.isSteady = false;
    // Where requests are short, others may be more urgent.
    const listCount = 1 + this.#world.site.all.length;
    if (fewestRequestsOf(this.#world.history) < ATTEMPTS * listCount) return;
    // Without whole runs since then, nobody could know that the service answers.
    if (!this.#world.chronicle.lastRuns.every(isWhole)) return;
    // It says how long each list must wait.
    if (how === 'limits requests') return;
    const delayed = this.#waiting().filter((id) => !before.has(id) && !this.#isSlow(id));
    this.#world.chronicle.delayedByOutage.push(...delayed);
  }

  /** Whether a list may fail on its own as soon as an outage is over: its pages are too slow. */
  #isSlow(id: string): boolean {
    if (slowAboveOf(this.#world.history) === 1_000) return false;
    const cause = this.#world.chronicle.feed(id)?.wait?.cause;
    return id === 'projects' || cause?.startsWith('PageTooSlowError') === true;
  }

  /** Notes the runs that do not know of an outage, after those that must have noticed it. */
  #noteUnaware(runs: readonly RunRecord[]): void {
    // Where requests are short, no list may be tried to the end.
    if (this.#world.history.limits.requestsPerRun < 1_000) return;
    // Where the list of projects is paused, and all others are refused, each of them backs off.
    if (this.#world.chronicle.feed('projects')?.paused) return;
    const firstTick = runs[0]?.tick ?? 0;
    const isLate = ({ tick }: RunRecord): boolean => tick >= firstTick + NOTICE_TICKS;
    const isUnaware = ({ summary }: RunRecord): boolean =>
      summary?.leaseHeld === false && summary.polled > 0 && summary.outageSince === undefined;
    const unaware = runs.filter((run) => isLate(run) && isUnaware(run));
    this.#world.chronicle.unaware.push(...unaware.map(({ n }) => n));
  }

  /** Lists fail apart from each other, see {@link SplitOutage}. */
  async splitOutage({ refusedMinutes, allMinutes, aloneMinutes }: SplitOutage): Promise<void> {
    this.#world.service.fail('project lists are refused');
    await this.#world.tickEvery(1, refusedMinutes);
    this.#world.service.fail('projects fail, and project lists are refused');
    await this.#world.tickEvery(1, allMinutes);
    this.#world.service.fail('projects fail');
    for (let minute = 0; minute < aloneMinutes; minute += JUDGED_MINUTES) {
      await this.#tickUnneglected();
    }
    this.#world.service.fail();
  }

  /** All lists of a resource fail, see {@link ResourceOutage}. */
  async failResource(outage: ResourceOutage): Promise<void> {
    const { resource, withProjects, retryAfterMinutes, minutes } = outage;
    await this.#createProjects(8);
    const { projects } = this.#world.site;
    const isFailing = (path: string): boolean =>
      path.endsWith(`/${resource}`) || (withProjects && path === projects.path);
    this.#world.service.failLists(isFailing, retryAfterMinutes * MINUTE_MS);
    for (let minute = 0; minute < minutes; minute += JUDGED_MINUTES) {
      await this.#tickUnneglected({
        isJudged: hasWorked,
        isOther: (id) => !isFailing(`/${id}`),
      });
    }
    this.#world.service.failLists();
    // What the service asked for is kept, also if no other list was known.
    await this.#world.wait(retryAfterMinutes * MINUTE_MS);
  }

  /** Some ticks, after which every list that was due, and would be shown, must have been requested. */
  async #tickUnneglected({
    isJudged = isWhole,
    isOther = () => true,
  }: {
    /** Whether a run must have polled what was due. */
    readonly isJudged?: (run: RunRecord) => boolean;
    /** Whether a list is none of those that fail. */
    readonly isOther?: (id: string) => boolean;
  } = {}): Promise<void> {
    const due = this.#openFeeds().filter((feed) => dueAt(feed) <= this.#world.time.now);
    const { runs } = this.#world.chronicle;
    const firstRun = runs.length;
    await this.#world.tickEvery(1, JUDGED_MINUTES);
    const judged = runs.slice(firstRun);
    const { history, site } = this.#world;
    // Where requests or time are short, others may be more urgent.
    const isShort =
      fewestRequestsOf(history) < 1_000 ||
      (history.notifier.timeLimitMs < 55_000 && site.all.length > LISTS_OF_A_SHORT_RUN);
    if (isShort || !judged.every(isJudged)) return;
    const isNeglected = (id: string): boolean =>
      isOther(id) && judged.every(({ requested }) => !requested.has(id));
    this.#world.chronicle.neglected.push(...due.map(({ id }) => id).filter(isNeglected));
  }

  /** Creates projects until there are so many: twice as many lists take many runs to fail one after the other. */
  async #createProjects(count: number): Promise<void> {
    for (let n = this.#world.site.byProject.size; n < count; n += 1) {
      this.#world.do({ kind: 'change', what: 'create project', which: n, late: 0 });
      // No page shows as many at one time, however coarse the timestamps are.
      await this.#world.wait(SOON_MS);
    }
    // The lists of other shards follow a run later.
    await this.#world.tickEvery(1, 3);
  }

  /** Runs go on until what was deleted, and seen before long, expires. Then the table deletes it. */
  async passRetention({ hours }: Retention): Promise<void> {
    await this.#world.tickEvery(30, 2 * hours + 2);
    this.#world.expireStates();
  }

  /** Ids of the feeds that wait for the service although it would show their lists. */
  #waiting(): string[] {
    // A page that the topic or the quarantine does not take waits for them, not for the service.
    const ofService = /^(ServiceError|PageTooSlowError)/;
    return this.#openFeeds().flatMap((feed) =>
      healthOf(feed) === 'waiting' && ofService.test(feed.wait?.cause ?? '') ? feed.id : [],
    );
  }

  /** The feeds whose lists the service would show. None while some may be paused. */
  #openFeeds(): Feed[] {
    if (this.#world.operator.mayHavePaused) return [];
    const isOpen = ({ project }: { readonly project: Row }): boolean =>
      !project.hidden && !project.isGone && !project.isDeleted;
    const lists = this.#world.site.all.filter(isOpen).map(({ list }) => list);
    return [this.#world.site.projects, ...lists]
      .filter((list) => !hasSlowTie(list, this.#world.history))
      .flatMap(({ path }) => this.#world.chronicle.feed(path.slice(1)) ?? []);
  }
}

/** Whether a run has done something. */
function hasWorked({ summary }: RunRecord): boolean {
  return summary?.leaseHeld === false;
}

/** Whether a run did everything that was due. */
function isWhole({ summary }: RunRecord): boolean {
  return summary !== undefined && !summary.leaseHeld && !summary.stoppedEarly;
}
