import { LeaseLostError } from '../model/errors.ts';
import type { Feed } from '../model/feed.ts';
import { rankFeeds } from './rank-feeds.ts';
import { decode, encode } from './poll-history-codec.ts';
import type { PollHistory } from './poll-history.ts';
import type { ServiceApi } from '../ports/service-api.ts';
import { type Clock } from '../ports/clock.ts';
import { type StateStore } from '../ports/state-store.ts';
import { type Telemetry } from '../ports/telemetry.ts';

/** What the operator wants of the plan, and how much time there is. */
export interface SchedulerOptions {
  /** The partitions of the table whose feeds the shard owns. */
  readonly partitions: readonly number[];
  /** Time between the starts of two runs. */
  readonly everyMs: number;
  /** No feed is to wait longer, as far as the budget allows that. */
  readonly maxWaitMs: number;
  /** Uniform in [0, 1), as `Math.random`. */
  readonly random: () => number;
}

/** What a {@link Scheduler} works with. */
interface SchedulerPorts {
  readonly api: ServiceApi;
  readonly store: StateStore;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
}

/** The feeds to poll in one sweep. */
export interface RankedFeeds {
  /** In the order to poll them. */
  readonly feeds: readonly Feed[];
  /** 1 where requests are short: each list has one page before any has its second. */
  readonly pagesPerTurn: number;
}

/** For so many runs a saved memory tells when feeds were polled. */
const RUNS_REMEMBERED = 3;

/**
 * Plans the sweeps of a run, learns from what they find, and remembers that for the next run. As long
 * as the budget and the time of a run cover all feeds, there is nothing to remember, and nothing is
 * written.
 */
export class Scheduler {
  readonly #ports: SchedulerPorts;
  readonly #options: SchedulerOptions;
  readonly #memory: PollHistory;
  #planned: readonly Feed[] = [];
  #plannedAt = 0;
  /** In any sweep of the run. */
  #isShort = false;
  #waitedMs = 0;
  #hasWarned = false;

  /** @param encoded what a run before has saved. */
  constructor(
    ports: SchedulerPorts,
    options: SchedulerOptions,
    feeds: readonly Feed[],
    encoded: Uint8Array | undefined,
  ) {
    this.#ports = ports;
    this.#options = options;
    const ids = feeds.map(({ id }) => id);
    // Runs in between polled all feeds and saved nothing, or failed: when who was polled is not known.
    const lastsMs = RUNS_REMEMBERED * options.everyMs;
    this.#memory = decode(encoded, ids, ports.clock.now(), lastsMs);
  }

  /**
   * Which feeds to poll in the next sweep, in this order. What is left of the budget decides how many.
   *
   * @param turnMs time until the sweep after it.
   * @param leftMs time that this one has.
   */
  rankFeeds(feeds: readonly Feed[], turnMs: number, leftMs: number): RankedFeeds {
    const { api, clock } = this.#ports;
    const allowance = api.allowance?.(leftMs) ?? { requests: Infinity, perMinute: Infinity };
    // Sweeps within a minute share its budget, or the first ones would leave nothing for the others.
    // Nor does a run send more than its own minutes allow, however long it is until the next one.
    const minutes = Math.min(turnMs / 60_000, Math.max(1, Math.ceil(leftMs / 60_000)));
    const perTurn = allowance.perMinute * minutes;
    this.#plannedAt = clock.now();
    const result = rankFeeds(feeds, this.#memory, {
      ...this.#options,
      now: this.#plannedAt,
      budget: Math.min(Math.ceil(perTurn), allowance.requests),
      budgetPerTurn: perTurn,
      turnMs,
    });
    this.#planned = result.feeds;
    const isShort = result.feeds.length < result.pollableCount;
    this.#isShort ||= isShort;
    this.#waitedMs = Math.max(this.#waitedMs, result.waitedMs);
    const { maxWaitMs } = this.#options;
    if (result.achievableWaitMs > maxWaitMs) {
      this.#warn(result.pollableCount, allowance.perMinute, result.achievableWaitMs);
    } else if (result.waitedMs > maxWaitMs + turnMs) {
      this.#warnOnce(
        'Lists wait longer than they should: runs were missed, or reach fewer lists than are planned',
        {
          lists: result.pollableCount,
          maxWaitSeconds: maxWaitMs / 1000,
          waitedSeconds: Math.round(result.waitedMs / 1000),
        },
      );
    }
    return { feeds: result.feeds, pagesPerTurn: isShort ? 1 : Infinity };
  }

  /**
   * Learns from a sweep: which feeds were polled in it, and which of them to the end of their lists. One
   * that failed is not unfinished: when it is no longer put off, the plan takes it for one whose wait ends.
   */
  learn(
    registry: { get(id: string): Feed },
    { started, finished }: { readonly started: Set<string>; readonly finished: Set<string> },
  ): void {
    const planned = new Map(this.#planned.map((feed) => [feed.id, feed]));
    this.#isShort ||= this.#planned.some(({ id }) => !started.has(id));
    for (const id of started) {
      const after = registry.get(id);
      const isPutOff = after.notBefore > this.#plannedAt;
      if (finished.has(id) || isPutOff) {
        this.#memory.recordPoll(planned.get(id) ?? after, after, this.#plannedAt);
      } else this.#memory.recordPartial(id, this.#plannedAt);
    }
  }

  /**
   * Remembers for the next run, and reports how long feeds have waited. That it fails is no reason for
   * a run to fail: the next one will poll some feeds earlier than it had to.
   *
   * @throws LeaseLostError when the memory is no longer this run's to write.
   */
  async finish(feeds: readonly Feed[]): Promise<void> {
    const { store, telemetry, clock } = this.#ports;
    telemetry.count('MaxWaitSeconds', Math.round(this.#waitedMs / 1000));
    if (!this.#isShort) return;
    try {
      const ids = feeds.map(({ id }) => id);
      await store.savePollHistory(this.#options.partitions, encode(this.#memory, ids, clock.now()));
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      const cause = error instanceof Error ? error.message : String(error);
      telemetry.warn('The plan was not saved; the next run polls some lists too early', { cause });
    }
  }

  #warn(feeds: number, perMinute: number, achievableWaitMs: number): void {
    const { maxWaitMs } = this.#options;
    this.#warnOnce(
      'The request budget is too small for the longest wait: raise requestsPerMinute or maxWaitSeconds',
      {
        lists: feeds,
        requestsPerMinute: perMinute,
        maxWaitSeconds: maxWaitMs / 1000,
        achievableWaitSeconds: achievableWaitMs / 1000,
        // Half a turn more than the longest wait is never used up.
        neededRequestsPerMinute: Math.ceil(feeds / Math.max(0.5, maxWaitMs / 60_000 - 1.5)),
      },
    );
  }

  /** Once a run: the same would be said of each of its sweeps. */
  #warnOnce(message: string, fields: Readonly<Record<string, number>>): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#ports.telemetry.warn(message, fields);
  }
}
