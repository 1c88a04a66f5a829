import { dueAt, type Feed } from '../model/feed.ts';
import type { Ports } from '../ports/ports.ts';
import type { Note } from './note.ts';
import { decode, encode } from './poll-history-codec.ts';
import type { PollHistory } from './poll-history.ts';
import { rankFeeds, type Ranking } from './rank-feeds.ts';

/** Options of a scheduler; from the operator's config. */
export interface SchedulerOptions {
  /** Number of the shard, from 0. */
  readonly shard: number;
  /** Time between the starts of two runs. */
  readonly everyMs: number;
  /** Maximum wait of a feed, as far as the budget allows. */
  readonly maxWaitMs: number;
}

type SchedulerPorts = Pick<Ports, 'api' | 'store' | 'telemetry' | 'clock'>;

/** The feeds to poll in one sweep. */
export interface RankedFeeds {
  /** In the order to poll them. */
  readonly feeds: readonly Feed[];
  /** 1 where requests are short: each list has one page before any has its second. */
  readonly pagesPerTurn: number;
}

/** Loads the poll history of a shard for a run with these feeds. */
export async function openScheduler(
  ports: SchedulerPorts,
  options: SchedulerOptions,
  feeds: readonly Feed[],
): Promise<Scheduler> {
  const encoded = await ports.store.loadPollHistory(options.shard);
  const ids = feeds.map(({ id }) => id);
  return new Scheduler(ports, options, decode(encoded, ids, ports.clock.now()));
}

/**
 * Decides which feeds each sweep of a run polls, and remembers the polls for the next run. The
 * history is not saved while budget and time cover all feeds.
 */
export class Scheduler {
  readonly #ports: SchedulerPorts;
  readonly #options: SchedulerOptions;
  readonly #history: PollHistory;
  #ranked: readonly Feed[] = [];
  #rankedAt = 0;
  #isShort = false;
  #waitedMs = 0;
  #hasWarned = false;

  constructor(ports: SchedulerPorts, options: SchedulerOptions, history: PollHistory) {
    this.#ports = ports;
    this.#options = options;
    this.#history = history;
  }

  /** The note of the last run. */
  get note(): Note {
    return this.#history.note;
  }

  /** Whether any sweep of the run could not poll all feeds that were due. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /**
   * Ranks the feeds to poll in the next sweep, as many as the remaining budget allows.
   *
   * @param turnMs time until the sweep after it.
   * @param leftMs time left for it.
   */
  rankFeeds(feeds: readonly Feed[], turnMs: number, leftMs: number): RankedFeeds {
    const { api, clock } = this.#ports;
    const allowance = api.allowance(leftMs);
    // Sweeps within a minute share its budget, or the first would leave nothing for the others. A
    // run sends no more than its own minutes allow, however long it is until the next one.
    const minutes = Math.min(turnMs / 60_000, Math.max(1, Math.ceil(leftMs / 60_000)));
    const budgetPerTurn = allowance.perMinute * minutes;
    this.#rankedAt = clock.now();
    const ranking = rankFeeds(feeds, this.#history, {
      ...this.#options,
      now: this.#rankedAt,
      budget: Math.min(Math.ceil(budgetPerTurn), allowance.requests),
      budgetPerTurn,
      turnMs,
    });
    this.#ranked = ranking.feeds;
    const isShort = ranking.feeds.length < ranking.pollableCount;
    this.#isShort ||= isShort;
    this.#waitedMs = Math.max(this.#waitedMs, ranking.waitedMs);
    this.#warnOfWaits(ranking, turnMs, allowance.perMinute);
    return { feeds: ranking.feeds, pagesPerTurn: isShort ? 1 : Infinity };
  }

  /**
   * Records the polls of a sweep.
   *
   * @param polls by feed id, whether the poll reached the end of its list. A feed that failed is
   *   not unfinished: its wait decides.
   */
  recordSweep(registry: { get(id: string): Feed }, polls: ReadonlyMap<string, boolean>): void {
    const ranked = new Map(this.#ranked.map((feed) => [feed.id, feed]));
    this.#isShort ||= this.#ranked.some(({ id }) => !polls.has(id));
    for (const [id, isFinished] of polls) {
      const after = registry.get(id);
      if (isFinished || dueAt(after) > this.#rankedAt) {
        this.#history.recordPoll(ranked.get(id) ?? after, after, this.#rankedAt);
      } else {
        this.#history.recordPartial(id, this.#rankedAt);
        this.#isShort = true;
      }
    }
  }

  /** Reports the longest wait, and whether it was too long. */
  reportWaits(): void {
    const { telemetry } = this.#ports;
    telemetry.count('MaxWaitSeconds', Math.round(this.#waitedMs / 1000));
    if (this.#hasWarned) telemetry.count('MaxWaitExceeded', 1);
  }

  /**
   * Saves the history and a note for the next run. A failure does not fail the run: the next one
   * polls some feeds too early.
   */
  async save(feeds: readonly Feed[], note: Note): Promise<void> {
    const { store, telemetry, clock } = this.#ports;
    const ids = this.#isShort ? feeds.map(({ id }) => id) : [];
    try {
      const encoded = encode(this.#history, ids, clock.now(), note);
      await store.savePollHistory(this.#options.shard, encoded);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      const message = 'The poll history was not saved: the next run polls some lists too early';
      telemetry.warn(message, { cause });
    }
  }

  /** Warns once a run; each of its sweeps has the same reason. */
  #warnOfWaits(
    { achievableWaitMs, waitedMs, pollableCount }: Ranking,
    turnMs: number,
    requestsPerMinute: number,
  ): void {
    const { maxWaitMs } = this.#options;
    const isAchievable = achievableWaitMs <= maxWaitMs;
    const isInTime = waitedMs <= maxWaitMs + turnMs;
    if (this.#hasWarned || (isAchievable && isInTime)) return;
    this.#hasWarned = true;
    const message = isAchievable
      ? 'Lists wait longer than maxWaitSeconds: runs were missed, or read too few lists'
      : 'The request budget is too small: raise requestsPerMinute or maxWaitSeconds';
    this.#ports.telemetry.warn(message, {
      lists: pollableCount,
      requestsPerMinute,
      maxWaitSeconds: maxWaitMs / 1000,
      waitedSeconds: Math.round(waitedMs / 1000),
      achievableWaitSeconds: achievableWaitMs / 1000,
    });
  }
}
