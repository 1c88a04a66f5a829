import { feedPartition, resourceKeyOf, type Feed } from '../../functions/core/model/feed.ts';
import type { RunRecord } from './chronicle.ts';
import type { ChangeKind } from './history/acts.ts';
import { fewestRequestsOf, longestLookbackOf } from './history/history.ts';
import type {
  LateAnswer,
  LimitedList,
  LostItem,
  Outage,
  ResourceOutage,
  SplitOutage,
  UndatedStarts,
} from './history/mishaps.ts';
import type { LongerLookback, ShortAbsence, SlowOrders } from './history/operations.ts';
import { hasSlowTie, isBusyAfterSlow, slowAboveOf } from './memory.ts';
import type { List, Row } from './truth.ts';
import { MINUTE_MS, type World } from './world.ts';

/** Minutes in which a list that is due must be polled. */
const JUDGED_MINUTES = 5;
/** As many lists are polled in a few seconds, however few at once. */
const LISTS_OF_A_SHORT_RUN = 16;
/** After so many, a list that fails waits for longer than a short absence. */
const FAILED_TICKS = 4;
/** Milliseconds, so that several such waits are within a long lookback. */
const SOON_MS = 10_000;
/** Enough that a run finds out. */
const OUTAGE_MINUTES = 5;
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
    const { hangs, hangsLong } = this.#world.history;
    const isSilent = hangs && hangsLong && how === 'is down';
    if (isSilent) await this.#createProjects(20);
    // One that fails on its own by then backs off for that.
    const failing = this.#openFeeds().filter(({ failures }) => failures > 0);
    const before = new Set([...this.#waiting(), ...failing.map(({ id }) => id)]);
    const { runs } = this.#world.chronicle;
    const firstRun = runs.length;
    const { fastHost } = this.#world.history;
    const startedAt = this.#world.time.now;
    this.#world.service.fail(how);
    const pause = minutes > 20 ? 3 : 1;
    await this.#world.tickEvery(pause, minutes / pause, (n) => fastHost?.atMinute === n);
    this.#world.service.fail();
    const endedAt = this.#world.time.now;
    if (how === 'is down') this.#noteUnaware(runs.slice(firstRun));
    // Only the end of a run that began earlier may have met it: a few lists that fail there are no outage. Nor are those of
    // a run that ended before it had tried all: the next one goes on to count.
    const met = runs.slice(firstRun).filter(({ requests }) => requests > 0);
    const isMet = met.some(isWhole) || new Set(met.map(({ tick }) => tick)).size > 1;
    this.#world.service.isSteady = true;
    await this.#world.tickEvery(1, 3, (n) => n === 0 && fastHost?.atMinute === 'end');
    this.#world.service.isSteady = false;
    // Where requests are short, an outage may not be noticed; where reads are old, too, not its end.
    const { staleMs } = this.#world.history.limits;
    const listCount = 1 + this.#world.site.all.length;
    if (fewestRequestsOf(this.#world.history) < (staleMs > 0 ? 1_000 : ATTEMPTS * listCount))
      return;
    // Without whole runs since then, nobody could know that the service answers.
    if (!isMet || how === 'flaps' || !this.#world.chronicle.lastRuns.every(isWhole)) return;
    // Nor that all are refused, while those wait that failed before.
    if (how === 'refuses' && failing.length > 0) return;
    // A shard whose lists are all refused anyway does not notice an outage.
    const isUnnoticed = (id: string): boolean =>
      this.#world.fleet.isDivided && this.#world.chronicle.feed(id)?.parked === 'refused';
    // Where its pages are slow, it may fail on its own as soon as the outage is over; with others, if that keeps the service busy.
    const { history } = this.#world;
    const isSlow = (id: string): boolean =>
      slowAboveOf(history) < 1_000 &&
      (id === 'projects' ||
        isBusyAfterSlow(history) ||
        this.#world.chronicle.feed(id)?.cause?.startsWith('PageTooSlowError') === true);
    // A project that is back, since it was told as gone, is still taken for deleted.
    const isGone = (id: string): boolean =>
      this.#world.chronicle.feed(id)?.parked === 'project-deleted';
    // Without answers it may end before a run has noticed it. What failed by then waits no longer than it has lasted.
    const isTooShort = (id: string): boolean => {
      const feed = this.#world.chronicle.feed(id);
      const own = met.filter(({ partitions }) => partitions.includes(feedPartition(feed ?? {})));
      const isMissed = isSilent && own.length < NOTICE_TICKS && !own.some(isWhole);
      return isMissed && (feed?.notBefore ?? 0) - endedAt <= endedAt - startedAt;
    };
    const isExcused = (id: string): boolean =>
      isUnnoticed(id) || isSlow(id) || isGone(id) || isTooShort(id);
    const delayed = this.#waiting().filter((id) => !before.has(id) && !isExcused(id));
    this.#world.chronicle.delayedByOutage.push(...delayed);
  }

  /** Notes the runs that do not know of an outage, after those that must have noticed it. */
  #noteUnaware(runs: readonly RunRecord[]): void {
    const { limits, fastHost, notifier, hangsLong } = this.#world.history;
    // Where requests are short, no list may be tried to the end; nor where a request takes longer than a run.
    if (limits.requestsPerRun < 1_000 || fastHost) return;
    if (hangsLong && notifier.timeLimitMs < 55_000) return;
    // Where the list of projects is paused, and all others are refused, each of them backs off.
    if (this.#world.chronicle.feed('projects')?.paused) return;
    const firstTick = runs[0]?.tick ?? 0;
    const isLate = ({ tick }: RunRecord): boolean => tick >= firstTick + NOTICE_TICKS;
    const isUnaware = ({ summary }: RunRecord): boolean =>
      summary?.leaseHeld === false && summary.polled > 0 && summary.outageSince === undefined;
    const unaware = runs.filter((run) => isLate(run) && isUnaware(run));
    this.#world.chronicle.unaware.push(...unaware.map(({ n }) => n));
  }

  async answerLate({ which, beforeMs }: LateAnswer): Promise<void> {
    const late = this.#world.site.commitLate(which);
    if (late === undefined) return;
    await this.#world.wait(1_000);
    this.#world.do({ kind: 'change', what: 'create floorplan', which, late: 0 });
    this.#world.tick();
    await this.#world.wait(Math.max(0, late.visibleAt - beforeMs - this.#world.time.now));
    this.#world.service.answerLate(late.path);
    this.#world.tick();
    await this.#world.wait(MINUTE_MS);
    this.#world.service.answerLate();
  }

  /** An item comes and goes: a run dies in between, or the item is stamped later than the checklist that lacks it. */
  async loseItem({ which, call }: LostItem): Promise<void> {
    const { itemsAheadMs, notifier } = this.#world.history;
    const hide = this.#world.site.addItem(which);
    this.#world.tick(itemsAheadMs > 0 ? [] : [{ port: 'topic', call, how: 'die after' }]);
    await this.#world.wait(itemsAheadMs > 0 ? itemsAheadMs / 4 : MINUTE_MS);
    hide?.();
    // If it is dated far ahead, the next poll comes when that time is near, or the table fails in this one.
    const isFar = itemsAheadMs > 2 * notifier.lookbackMs && call === 0;
    const fault = { port: 'store', call: 6 + which + call, how: 'fail before' } as const;
    if (!isFar) this.#world.tick(itemsAheadMs > 0 && call > 0 ? [fault] : []);
    if (itemsAheadMs === 0) return;
    // News behind it: the cursor may pass the checklist before that is certainly later than its item.
    const nearMs = Math.min(itemsAheadMs / 4, 30_000);
    const untilMs = isFar ? (3 * itemsAheadMs) / 4 - notifier.lookbackMs / 2 : nearMs;
    await this.#world.wait(notifier.lookbackMs + untilMs);
    for (let n = 0; n < this.#world.site.byProject.size; n += 1)
      this.#world.do({ kind: 'change', what: 'create checklist', which: n, late: 0 });
    this.#world.tick();
  }

  /**
   * Runs start without a `Date`, see {@link UndatedStarts}. The run before has one, and hands it over; before
   * the first run our own clock tells what lies ahead.
   */
  async startUndated({ which, answers, runs }: UndatedStarts): Promise<void> {
    await this.#world.waitForLastCalls();
    if (this.#world.chronicle.runs.length === 0) {
      this.#world.do({
        kind: 'change',
        what: 'date entity in the future',
        which: 2 * which,
        late: 0,
      });
    } else {
      const before = this.#world.tick();
      await this.#world.waitForLastCalls();
      const isDated = ({ summary, hasDate, telemetry }: RunRecord): boolean =>
        summary !== undefined &&
        hasDate === true &&
        !telemetry.logs.some(({ level }) => level === 'error');
      if (!before.every(isDated)) return;
      this.#world.site.dateAhead(which);
    }
    for (let n = 0; n < runs; n += 1) {
      this.#world.service.leaveOutDates(answers);
      this.#world.do({ kind: 'change', what: 'create floorplan', which, late: 0 });
      this.#world.tick();
      await this.#world.wait(MINUTE_MS);
      this.#world.service.leaveOutDates(0);
    }
    this.#world.do({ kind: 'change', what: 'create floorplan', which, late: 0 });
  }

  /** A project appears, is deleted and restored, see {@link SlowOrders}. */
  async changeInHaste({ ms }: SlowOrders): Promise<void> {
    const world = this.#world;
    const { notifier, pollEverySeconds } = world.history;
    // Runs do not live to see it.
    if (notifier.timeLimitMs < 2 * ms || pollEverySeconds !== undefined) return;
    const which = world.site.byProject.size;
    const change = (what: ChangeKind): void => {
      world.do({ kind: 'change', what, which, late: 0 });
    };
    change('create project');
    change('create floorplan');
    await world.tickEvery(1, 1);
    world.deleteOrdersIn(ms);
    for (const what of ['delete project', 'restore project'] as const) {
      world.tick();
      // The projects' shard sees it while the other one carries out the last order.
      change(what);
      await world.wait(MINUTE_MS);
      await world.tickEvery(1, 1);
    }
    await world.tickEvery(1, 1);
    world.deleteOrdersIn(0);
  }

  /** The last floorplan of a project goes, and is mostly back, see {@link ShortAbsence}. */
  async goShortly({ which }: ShortAbsence): Promise<void> {
    const { site, service, losses, history } = this.#world;
    const lists = [...site.byProject.values()].map(({ floorplans }) => floorplans);
    const list = lists[which % lists.length];
    if (list === undefined) return;
    if (history.luck % 4 === 0) return this.#goChanged(list);
    const isBackAtOnce = history.luck % 2 === 0;
    if (!isBackAtOnce) {
      service.failList(list.path);
      await this.#world.tickEvery(1, FAILED_TICKS);
      service.failList();
    }
    const hasGone = losses.destroyLast(list);
    // No copy shows it any more.
    await this.#world.wait(history.service.lagMs + 1_000);
    await losses.reconcile(false);
    if (isBackAtOnce) {
      this.#world.tick();
      await this.#world.wait(SOON_MS);
    } else await this.#world.tickEvery(1, 2);
    if (hasGone) losses.returnLast(list);
    if (!isBackAtOnce) return;
    // Another change is on the page that shows it, within the lookback of its delete.
    this.#world.do({ kind: 'change', what: 'create floorplan', which, late: 0 });
    await this.#world.wait(SOON_MS);
    this.#world.tick();
  }

  /** The last floorplan of a list goes for good, just after a change by a clock that is ahead; copies may still show it. */
  async #goChanged(list: List): Promise<void> {
    const { site, losses, history } = this.#world;
    const { lagMs } = history.service;
    site.stampLastAhead(list, history.notifier.lookbackMs - lagMs);
    await this.#world.wait(lagMs / 2);
    losses.destroyLast(list);
    await losses.reconcile(true);
    for (let n = 0; n < 4; n += 1) {
      this.#world.tick();
      await this.#world.wait(1_500);
    }
  }

  /** A change is still uncommitted, and the lookback too short for it, when a longer one is deployed. */
  async lookBackLonger({ which }: LongerLookback): Promise<void> {
    const { history, site } = this.#world;
    site.lookbackMs = longestLookbackOf(history);
    this.#world.do({ kind: 'change', what: 'create floorplan', which, late: 1 });
    await this.#world.wait(1_000);
    this.#world.do({ kind: 'change', what: 'create floorplan', which, late: 0 });
    await this.#world.wait(1.2 * history.notifier.lookbackMs + history.service.lagMs);
    // The cursor is past both: the second run finds the list caught up.
    for (const afterMs of [2_000, 2_000]) {
      this.#world.tick();
      await this.#world.wait(afterMs);
    }
    this.#world.lookBackLonger();
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

  /** One list, or some together, are answered with 429. Others are read. */
  async limitList({ which, retryAfterMinutes }: LimitedList): Promise<void> {
    const lists = [this.#world.site.projects, ...this.#world.site.all.map(({ list }) => list)];
    const path = lists[which % lists.length]?.path ?? '';
    const { limits429 } = this.#world.history;
    if (limits429 === 'all of its resource') await this.#createProjects(8);
    const commonOf = {
      'a list': (id: string) => id,
      'all of its project': (id: string) => id.split('/')[1],
      'all of its resource': resourceKeyOf,
    }[limits429];
    const isLimited = (each: string): boolean =>
      commonOf(each.slice(1)) === commonOf(path.slice(1));
    if (this.#world.history.limitsAfterOutage) {
      this.#world.service.fail('is down');
      await this.#world.tickEvery(1, OUTAGE_MINUTES);
      this.#world.service.fail();
    }
    const retryAfterMs = retryAfterMinutes * MINUTE_MS;
    const { limitAllows: allows, limitsAfterOutage } = this.#world.history;
    // A list that backs off for a failure of its own does not show in time that others are read.
    const areOthersHealthy = this.#openFeeds().every(
      ({ id, failures }) => failures === 0 || isLimited(`/${id}`),
    );
    this.#world.service.limit({ isLimited, retryAfterMs, allows });
    const { runs } = this.#world.chronicle;
    const firstRun = runs.length;
    await this.#world.tickEvery(1, JUDGED_MINUTES);
    // A list may not be known, or be due, until much later.
    const isMet = runs
      .slice(firstRun)
      .some(({ requested }) => [...requested].some((id) => isLimited(`/${id}`)));
    // As long as it is new that a sample is limited, too, all pause. Where most lists are, a sample is one of them more than once.
    await this.#world.tickEvery(1, 4 * retryAfterMinutes);
    const isJudged = (run: RunRecord): boolean =>
      isMet &&
      areOthersHealthy &&
      hasWorked(run) &&
      // A list whose pages are not accepted is polled rarely, so its second pause comes late.
      this.#world.history.limits.outage === 'none' &&
      // Each probe of a list that is refused is one pause more.
      (!limitsAfterOutage || this.#openFeeds().length === 1 + this.#world.site.all.length);
    for (let minute = 0; minute < 2 * retryAfterMinutes; minute += JUDGED_MINUTES) {
      await this.#tickUnneglected({
        minutes: JUDGED_MINUTES,
        isJudged,
        isOther: (id) => !isLimited(`/${id}`),
      });
    }
    this.#world.service.limit();
    await this.#world.wait(retryAfterMs);
  }

  /** All lists of a resource fail, see {@link ResourceOutage}. */
  async failResource(outage: ResourceOutage): Promise<void> {
    const { resource, withProjects, retryAfterMinutes, minutes } = outage;
    await this.#createProjects(8);
    const { projects } = this.#world.site;
    const isFailing = (path: string): boolean =>
      path.endsWith(`/${resource}`) || (withProjects && path === projects.path);
    this.#world.service.failLists(isFailing, retryAfterMinutes * MINUTE_MS);
    // Lists that back off for a limit of their own are not there to show that others are read.
    const isJudged = (run: RunRecord): boolean =>
      hasWorked(run) && this.#world.history.limitedList === undefined;
    for (let minute = 0; minute < minutes; minute += JUDGED_MINUTES) {
      await this.#tickUnneglected({ isJudged, isOther: (id) => !isFailing(`/${id}`) });
    }
    this.#world.service.failLists();
    // What the service asked for is kept, also if no other list was known.
    await this.#world.wait(retryAfterMinutes * MINUTE_MS);
  }

  /** Some ticks, after which every list that was due, and would be shown, must have been requested. */
  async #tickUnneglected({
    minutes = JUDGED_MINUTES,
    isJudged = isWhole,
    isOther = () => true,
  }: {
    readonly minutes?: number;
    /** Whether a run must have polled what was due. */
    readonly isJudged?: (run: RunRecord) => boolean;
    /** Whether a list is none of those that fail. */
    readonly isOther?: (id: string) => boolean;
  } = {}): Promise<void> {
    const due = this.#openFeeds().filter(({ notBefore }) => notBefore <= this.#world.time.now);
    const { runs } = this.#world.chronicle;
    const firstRun = runs.length;
    await this.#world.tickEvery(1, minutes);
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

  /** Everything that is deleted now, and seen before long, is forgotten. */
  async passRetention(): Promise<void> {
    const { retention, fastHost } = this.#world.history;
    if (retention === undefined || fastHost) return;
    const halfHours = 2 * retention.hours + 2;
    if (retention.hasTicks) await this.#world.tickEvery(30, halfHours);
    else await this.#world.wait(halfHours * 30 * MINUTE_MS);
    if (this.#world.history.luck % 2 === 0) return;
    // The lists of projects are removed a day later.
    await this.#world.wait(24 * 60 * MINUTE_MS);
    await this.#world.tickEvery(30, 2);
  }

  /** Ids of the feeds that wait for the service although it would show their lists. */
  #waiting(): string[] {
    return this.#openFeeds().flatMap(({ id, notBefore }) =>
      notBefore > this.#world.time.now ? [id] : [],
    );
  }

  /** The feeds whose lists the service would show. None while some may be paused. */
  #openFeeds(): Feed[] {
    if (this.#world.operator.mayHavePaused) return [];
    const isOpen = ({ project }: { readonly project: Row }): boolean =>
      !project.hidden && !project.isGone && !project.isDeleted;
    const lists = this.#world.site.all.filter(isOpen).map(({ list }) => list);
    return (
      [this.#world.site.projects, ...lists]
        .filter((list) => !hasSlowTie(list, this.#world.history))
        .flatMap(({ path }) => this.#world.chronicle.feed(path.slice(1)) ?? [])
        // A page that the topic or the quarantine does not take waits for them, not for the service.
        .filter(({ hasUncommittedPage }) => !hasUncommittedPage)
    );
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
