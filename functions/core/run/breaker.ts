import { afterOutage, MAX_BACKOFF_MS, MAX_CAUSE_LENGTH } from '../feeds/feed-lifecycle.ts';
import { ServiceError, type FeedError } from '../model/errors.ts';
import { isProjectsFeed, resourceKeyOf, type Feed } from '../model/feed.ts';
import type { Handover, Outage } from './handover.ts';

/** So many lists that fail in a row, or all of them if there are fewer, raise doubts about the service. */
const DOUBTFUL_FAILURES = 5;
/** Time between two probes of one run. */
const PROBE_EVERY_MS = 60_000;

/** The failure of a feed that is not committed yet. */
export interface HeldFailure {
  readonly id: string;
  readonly error: FeedError;
}

/**
 * Tells a service that fails from feeds that fail (circuit breaker).
 *
 * - _Closed_: a failure is held until another list succeeds, or the sweep ends. Then the feed backs off.
 * - _Doubtful_: many lists have failed in a row. No list is started until healthy ones were probed: if one
 *   succeeds, the feeds themselves have failed; if not, the service has. Where the time of a run ends first, the next
 *   one begins with the probe: lists that get no answer take all the time of a run.
 * - _Open_: the service fails, and no feed backs off for it. Each run probes one list of each resource, side by side: one
 *   of them may take all of its time. The first success closes the breaker, and ends the back-offs that began before.
 *
 * A list that was refused before and is refused again says nothing of the service. It backs off in each state, and is polled
 * when it is due: its return shows that the service works, even if all others fail.
 *
 * So an outage costs no list more than the time until the next probe, however long it was.
 */
export class Breaker {
  #outage: Outage | undefined;
  #recoveredAt: number;
  /** Lists that failed since one succeeded, in this run and before. */
  #failuresInARow: number;
  /** Whether feeds in back-off may be polled. They must then be loaded consistently. */
  readonly canWake: boolean;
  #held: HeldFailure[] = [];
  #lastError: FeedError | undefined;
  /** The shortest wait that was requested by failures since a list succeeded, in this run. */
  #requestedMs: number | undefined;
  #successCount = 0;
  #probedAt = -Infinity;

  constructor({ outage, recoveredAt, failuresInARow = 0 }: Handover) {
    this.#outage = outage;
    this.#recoveredAt = recoveredAt ?? -Infinity;
    this.#failuresInARow = failuresInARow;
    this.canWake = outage !== undefined || recoveredAt !== undefined;
  }

  /** Set while the whole service fails. */
  get outage(): Outage | undefined {
    return this.#outage;
  }

  /** Polls of this run that succeeded. */
  get successCount(): number {
    return this.#successCount;
  }

  /** The last failure of a list in this run. */
  get lastError(): FeedError | undefined {
    return this.#lastError;
  }

  /** For the next run. A back-off that began before the end of an outage is over within an hour. */
  handover(now: number): Handover {
    const isRecent = this.#recoveredAt > now - MAX_BACKOFF_MS;
    return {
      outage: this.#outage,
      recoveredAt: isRecent ? this.#recoveredAt : undefined,
      failuresInARow: this.#failuresInARow > 0 ? this.#failuresInARow : undefined,
    };
  }

  /** Holds the failure of a feed. */
  failed(id: string, error: FeedError): void {
    this.#lastError = error;
    this.#failuresInARow += 1;
    const requestedMs = error instanceof ServiceError ? error.retryAfterMs : 0;
    this.#requestedMs = Math.min(this.#requestedMs ?? requestedMs, requestedMs);
    this.#held.push({ id, error });
  }

  /**
   * Notes that a list was read: the service works.
   *
   * @returns the end of an outage.
   */
  succeeded(now: number): Outage | undefined {
    const outage = this.#outage;
    this.#successCount += 1;
    this.#failuresInARow = 0;
    this.#requestedMs = undefined;
    this.#outage = undefined;
    if (outage !== undefined) this.#recoveredAt = now;
    return outage;
  }

  /** Whether the service may be failing. @param dueCount lists that could be polled. */
  isDoubtful(dueCount: number): boolean {
    // Lists that an outage woke may fail while no other one is due.
    const least = Math.max(1, Math.min(DOUBTFUL_FAILURES, dueCount));
    const isInARow = this.#failuresInARow >= least;
    return this.#held.length > 0 && isInARow;
  }

  /**
   * Whether lists have failed in a row, in this run or the one before, that nobody has told from a failing service: its
   * time ended first. One of these feeds must settle the doubt.
   */
  isSuspect(feeds: readonly Feed[]): boolean {
    const isInARow = this.#outage === undefined && this.#failuresInARow >= DOUBTFUL_FAILURES;
    return isInARow && feeds.some(isHealthy);
  }

  /** Whether the failure of a feed is held. */
  isHeld(id: string): boolean {
    return this.#held.some((failure) => failure.id === id);
  }

  /** Failures of feeds that have to back off. */
  takeHeld(): readonly HeldFailure[] {
    return this.#held.splice(0);
  }

  /** Whether it is time for a probe: the first one of this run, or a minute after the last. */
  canProbe(feeds: readonly Feed[], now: number): boolean {
    const isMeant = (feed: Feed): boolean => this.#isAskedToWait(feed, now);
    return now >= this.#probedAt + PROBE_EVERY_MS && !(this.mustWait(now) && feeds.every(isMeant));
  }

  /** Whether the service has asked for time in which lists that fail are not probed again. */
  mustWait(now: number): boolean {
    return this.#outage !== undefined && now < this.#outage.retryAt;
  }

  /**
   * The lists to probe, in groups that are probed side by side, until one list succeeds: one of each resource,
   * because all lists of a resource may fail on their own, or fail slowly, and the parked ones that are due. None
   * when all have failed, or wait for another reason than the service. In the time that the service asked to wait,
   * only lists that it did not say that of: those that have become due since the last probe.
   */
  canaries(
    feeds: readonly Feed[],
    now: number,
    random: () => number,
  ): readonly (readonly Feed[])[] {
    // A page that could not be published would be published again on each probe.
    const isPostponed = ({ hasUncommittedPage, notBefore }: Feed): boolean =>
      hasUncommittedPage === true && notBefore > now;
    const others = feeds.filter(
      (feed) => !this.isHeld(feed.id) && !isPostponed(feed) && !this.#isAskedToWait(feed, now),
    );
    // A list that fails anyway settles no doubt. In an outage, none may be left out for ever.
    const candidates = others.filter(this.#outage ? isActive : isHealthy);
    const below = candidates.filter((feed) => !isProjectsFeed(feed));
    const ofResources = [...Map.groupBy(below, ({ id }) => resourceKeyOf(id)).values()];
    // A list that has become due is probed once: another one does not speak for it.
    const drawn = this.mustWait(now)
      ? below
      : ofResources.flatMap((lists) => lists[Math.floor(random() * lists.length)] ?? []);
    const parked = others.filter((feed) => !isActive(feed) && feed.notBefore <= now);
    const first = [...candidates.filter(isProjectsFeed), ...drawn, ...parked.slice(0, 1)];
    return [first, ...parked.slice(1).map((feed) => [feed])];
  }

  /**
   * The service fails: no feed backs off for it.
   *
   * @param chosenAt when the lists of the probe were chosen. Those that have become due later were not asked.
   */
  open(now: number, chosenAt = now): Outage {
    this.#probedAt = now;
    const since = this.#outage?.since ?? now;
    const requestedAt = now + Math.min(this.#requestedMs ?? 0, MAX_BACKOFF_MS);
    // What a list is told that has become due meanwhile holds for no other one.
    const retryAt = this.#outage && this.mustWait(chosenAt) ? this.#outage.retryAt : requestedAt;
    const cause = this.#lastError?.message.slice(0, MAX_CAUSE_LENGTH) ?? this.#outage?.cause;
    return (this.#outage = { since, retryAt, probedAt: chosenAt, cause });
  }

  /** Whether the service has asked to wait when this list was due. */
  #isAskedToWait({ notBefore }: Feed, now: number): boolean {
    const { probedAt = Infinity } = this.#outage ?? {};
    return this.mustWait(now) && (notBefore <= probedAt || notBefore > now);
  }

  /** The feed as it is to be scheduled: its back-off is over if the service failed when it began. */
  wake(feed: Feed): Feed {
    return this.canWake ? afterOutage(feed, this.#recoveredAt) : feed;
  }
}

function isActive({ parked }: Feed): boolean {
  return parked === undefined;
}

/** Whether the last poll of a feed has not failed. */
function isHealthy(feed: Feed): boolean {
  return isActive(feed) && feed.failures === 0;
}
