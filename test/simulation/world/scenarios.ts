import { healthOf } from '../../../functions/core/feeds/health.ts';
import { dueAt, feedPartition, type Feed } from '../../../functions/core/model/feed.ts';
import { hasLosses } from '../history/history.ts';
import type { Outage } from '../history/mishaps.ts';
import type { RunRecord } from '../trace/trace.ts';
import type { World } from './world.ts';

/** Minutes that a list waits at most for an outage. */
const LONGEST_WAIT = 5;
/** Ticks in which an outage must be noticed: five lists may fail one after the other. */
const NOTICE_TICKS = 10;
/** As many lists are polled in a few seconds, however few at once. */
const LISTS_OF_A_SHORT_RUN = 16;

/** Lists fail for some minutes, and are read again. Judges the runs meanwhile and after it. */
export async function runOutage(outage: Outage, world: World): Promise<void> {
  const { trace, service } = world;
  const before = new Set(waitingFeeds(world).map(({ id }) => id));
  const firstRun = trace.runs.length;
  service.fail(outage);
  for (let minute = 0; minute < outage.minutes; minute += LONGEST_WAIT)
    await tickUnneglected(Math.min(LONGEST_WAIT, outage.minutes - minute), world);
  const runs = trace.runs.slice(firstRun);
  noteHasty(outage, runs, before, world);
  service.fail();
  noteUnaware(outage, runs, world);
  await world.tickEachMinute(LONGEST_WAIT + 2);
  if (hasFewRequests(world) || !trace.lastRuns.every(isWhole)) return;
  // The service said how long to wait, or refused some of its lists.
  const isLong =
    ['limits requests', 'asks to wait'].includes(outage.answer) ||
    (outage.answer === 'refuses' && outage.lists !== 'all');
  if (isLong) return;
  const waiting = waitingFeeds(world).map(({ id }) => id);
  world.delayed.push(...waiting.filter((id) => !before.has(id)));
}

/** Some ticks in which each list that is due, and does not fail, must be requested. */
async function tickUnneglected(minutes: number, world: World): Promise<void> {
  const { trace, service, history, time } = world;
  const due = openFeeds(world).filter(
    (feed) => dueAt(feed) <= time.now && !service.isFailing(`/${feed.id}`),
  );
  const firstRun = trace.runs.length;
  await world.tickEachMinute(minutes);
  const runs = trace.runs.slice(firstRun);
  const isShort =
    minutes < LONGEST_WAIT ||
    (history.notifier.timeLimitMs < 55_000 && due.length > LISTS_OF_A_SHORT_RUN);
  if (isShort || hasFewRequests(world) || !runs.every(hasLease)) return;
  const isNeglected = ({ id }: Feed): boolean => runs.every(({ requested }) => !requested.has(id));
  world.neglected.push(...due.filter(isNeglected).map(({ id }) => id));
}

/** Notes lists that were polled nearly each minute, not after 1, 2, 4, and then each 5. */
function noteHasty(
  { minutes }: Outage,
  runs: readonly RunRecord[],
  before: ReadonlySet<string>,
  world: World,
): void {
  // A reconcile reads lists, too.
  if (hasLosses(world.history)) return;
  const most = 4 + minutes / 2;
  for (const { path, feedId } of world.site.lists) {
    // Other shards read the projects only to see whether the service works.
    const polls = runs.filter(
      ({ requested, partitions }) =>
        requested.has(feedId) && (feedId !== 'projects' || partitions.includes(feedPartition({}))),
    ).length;
    if (world.service.isFailing(path) && !before.has(feedId) && polls > most)
      world.hasty.push(`${feedId}, ${polls} times in ${minutes} minutes`);
  }
}

/** Notes the runs that do not know of an outage, after those that must have noticed it. */
function noteUnaware({ lists, answer }: Outage, runs: readonly RunRecord[], world: World): void {
  const isDown = lists === 'all' && (answer === 'is down' || answer === 'hangs');
  if (!isDown || hasFewRequests(world)) return;
  if (world.operator.isPaused('projects')) return;
  const firstTick = runs[0]?.tick ?? 0;
  const late = runs.filter(({ tick }) => tick >= firstTick + NOTICE_TICKS);
  const isUnaware = ({ summary }: RunRecord): boolean =>
    summary?.leaseHeld === false && summary.polled > 0 && summary.outageSince === undefined;
  world.unaware.push(...late.filter(isUnaware).map(({ n }) => n));
}

/** Where requests are short, others may be more urgent. */
function hasFewRequests({ history }: World): boolean {
  return history.notifier.requestsPerRun < 1_000;
}

/** The feeds that wait for the service although it would show their lists. */
function waitingFeeds(world: World): Feed[] {
  // A page that topic or quarantine do not take waits for them.
  const ofService = /^(ServiceError|PageTooSlowError)/;
  return openFeeds(world).filter(
    (feed) => healthOf(feed) === 'waiting' && ofService.test(feed.wait?.cause ?? ''),
  );
}

/** The feeds that are not paused, and whose lists the service would show. */
function openFeeds({ operator, site, trace }: World): Feed[] {
  const lists = site.all.filter(
    ({ project }) => !project.hidden && !project.isGone && !project.isDeleted,
  );
  return [site.projects, ...lists.map(({ list }) => list)]
    .filter(({ feedId }) => !operator.isPaused(feedId))
    .flatMap(({ feedId }) => trace.feed(feedId) ?? []);
}

function hasLease({ summary }: RunRecord): boolean {
  return summary?.leaseHeld === false;
}

/** Whether a run did everything that was due. */
function isWhole(run: RunRecord): boolean {
  return hasLease(run) && run.summary?.stoppedEarly === false;
}
