import { MAX_WAIT_MS } from '../../feeds/health.ts';
import { isInScope, type LongCommand, type Progress } from '../../model/command.ts';
import { FeedError, FeedRefusedError, ServiceError } from '../../model/errors.ts';
import {
  configuredResource,
  feedPartition,
  isPolled,
  resourceOf,
  type Feed,
} from '../../model/feed.ts';
import {
  healedCount,
  noCounts,
  withProblem,
  type ListProblem,
  type ReconcileCount,
  type ReconcileReport,
} from '../../model/reconcile-report.ts';
import { isoTime } from '../../model/timestamp.ts';
import type { RunContext } from '../run-context.ts';
import {
  NoVerdictError,
  TooMuchMissingError,
  type ListPosition,
  type ReconcileContext,
} from './reconcile-context.ts';
import { MAX_TRIES, reconcileWindow } from './reconcile-list.ts';
import type { PlacedLongCommand } from './step.ts';

/** Wait after a step that failed because of its list: the next run, not the next step, tries again. */
const RETRY_MS = 30_000;
/** Wait after a 429 that concerns this list, or an entity of it, alone. */
const LIMITED_RETRY_MS = 240_000;

/** Requests that a step must have after a further page: one to look for a tie, one for an entity, two for proofs. */
const REQUESTS_BEHIND_PAGE = 4;

export type ReconcileCommand = Extract<LongCommand, { readonly name: 'reconcile' }>;

/** The time and the requests that a step may take. */
export interface StepLimits {
  /** In milliseconds since 1970. */
  readonly until: number;
  readonly requestCount: number;
}

/** Reconciles the lists of one partition, in the order of their ids, and one of them at a time. */
export class Reconciliation {
  readonly #command: ReconcileCommand;
  readonly #partition: number;
  readonly #run: RunContext;
  readonly #counts: Record<ReconcileCount, number>;
  #problems: readonly ListProblem[];
  #feedId: string | undefined;
  #position: ListPosition | undefined;

  constructor(
    { command, partition, progress }: PlacedLongCommand<ReconcileCommand>,
    run: RunContext,
  ) {
    this.#command = command;
    this.#partition = partition;
    this.#run = run;
    this.#counts = { ...noCounts(), ...progress?.counts };
    this.#problems = progress?.problems ?? [];
    this.#feedId = progress?.feedId;
    if (progress?.position !== undefined)
      this.#position = JSON.parse(progress.position) as ListPosition;
  }

  /**
   * Goes on as far as the limits allow, at least with one page.
   *
   * @returns true when all lists of the partition are done.
   * @throws the error that ended the step, if it is not one of a list.
   */
  async step(limits: StepLimits): Promise<boolean> {
    const { clock } = this.#run.ports;
    const { retryAt = 0 } = this.#position ?? {};
    // A clock that was ahead keeps nobody waiting for longer.
    if (retryAt > clock.now() && retryAt <= clock.now() + MAX_WAIT_MS) return false;
    const context = this.#contextOf(limits);
    const { telemetry } = this.#run.ports;
    const before = { healed: healedCount(this.#counts), problems: this.#problemCount };
    try {
      for (const feed of this.#feedsLeft()) {
        this.#begin(feed);
        if (!(await this.#reconcile(feed, context))) return false;
        this.#position = undefined;
        if (!context.canAsk()) break;
      }
    } finally {
      telemetry.count('ReconcileHealed', healedCount(this.#counts) - before.healed);
      telemetry.count('ReconcileListsFailed', this.#problemCount - before.problems);
    }
    return this.#feedsLeft().length === 0;
  }

  /** What came of it. */
  report(): ReconcileReport {
    return {
      partition: this.#partition,
      commandId: this.#command.id,
      finishedAt: isoTime(this.#run.ports.clock.now()),
      counts: this.#counts,
      problems: this.#problems,
    };
  }

  /** What the next step goes on from. */
  get progress(): Progress {
    const { read, failed, stopped, skipped } = this.#counts;
    return {
      counts: { ...this.#counts, lists: read + failed + stopped + skipped },
      feedId: this.#feedId ?? '',
      ...(this.#position && { position: JSON.stringify(this.#position) }),
      ...(this.#problems.length > 0 && { problems: this.#problems }),
    };
  }

  get #problemCount(): number {
    return this.#counts.failed + this.#counts.stopped;
  }

  /** The list in work, if it is not done, and those behind it. */
  #feedsLeft(): readonly Feed[] {
    const { registry, options } = this.#run;
    const last = this.#feedId ?? '';
    const isLeft = ({ id }: Feed): boolean =>
      id > last || (id === last && this.#position !== undefined);
    return registry
      .all()
      .filter(
        (feed) =>
          feedPartition(feed) === this.#partition &&
          isLeft(feed) &&
          isInScope(feed, configuredResource(options.catalog, feed)?.name, this.#command.scope),
      )
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  #begin({ id }: Feed): void {
    if (this.#feedId !== id) this.#position = undefined;
    this.#feedId = id;
  }

  /** @returns false when the list is not done, and nothing more may be done now. */
  async #reconcile(feed: Feed, context: ReconcileContext): Promise<boolean> {
    const { catalog } = this.#run.options;
    const resource = resourceOf(catalog, feed);
    const isLive = feed.phase === 'live' && feed.parked === undefined;
    if (resource === undefined || !isLive || !isPolled(catalog, feed)) {
      this.#counts.skipped += 1;
      return true;
    }
    try {
      let position: ListPosition | undefined = this.#position ?? {};
      do {
        position = await reconcileWindow({ feed, resource }, position, context, (reached) => {
          this.#position = reached;
        });
        this.#position = position;
        if (position !== undefined && !context.canAsk()) return false;
      } while (position !== undefined);
      this.#counts.read += 1;
      return true;
    } catch (error) {
      return this.#handle(error, feed);
    }
  }

  /** @returns true when the list is given up; false when the next step tries it again. */
  #handle(error: unknown, { id: list }: Feed): boolean {
    const { signal } = this.#run.stopping;
    const isOfList = error instanceof FeedError && !(signal.aborted && error === signal.reason);
    const isFinal = error instanceof FeedRefusedError || error instanceof NoVerdictError;
    if (error instanceof TooMuchMissingError) {
      this.#give(list, 'stopped', error);
      return true;
    }
    const failures = (this.#position?.failures ?? 0) + 1;
    if (isFinal || (isOfList && failures >= MAX_TRIES)) {
      this.#give(list, 'failed', error);
      return true;
    }
    if (isOfList) {
      const retryAt = this.#run.ports.clock.now() + waitAfter(error);
      this.#position = { ...this.#position, failures, retryAt };
      return false;
    }
    this.#position = { ...this.#position };
    throw error;
  }

  #give(list: string, outcome: ListProblem['outcome'], { message: cause }: Error): void {
    this.#counts[outcome] += 1;
    this.#problems = withProblem(this.#problems, { list, outcome, cause });
    this.#run.ports.telemetry.warn(`A list was not reconciled: ${cause}`, { feed: list, outcome });
  }

  #contextOf({ until, requestCount }: StepLimits): ReconcileContext {
    const { clock } = this.#run.ports;
    const begunAt = clock.now();
    const requestsBefore = this.#counts.requests;
    const isWithin = (share: number): boolean =>
      !this.#run.stopping.signal.aborted &&
      clock.now() < begunAt + share * (until - begunAt) &&
      this.#counts.requests - requestsBefore < share * requestCount;
    // A page may have taken more than one.
    const requestsLeft = (): number => {
      const { api } = this.#run.ports;
      const allowance = api.allowance?.(Math.max(0, until - clock.now()));
      const counted = requestCount - (this.#counts.requests - requestsBefore);
      return Math.min(counted, allowance?.requests ?? Infinity);
    };
    return {
      run: this.#run,
      counts: this.#counts,
      isForced: this.#command.force === true,
      canRead: () => isWithin(0.5) && requestsLeft() > REQUESTS_BEHIND_PAGE,
      canAsk: () => isWithin(1),
      requestsLeft,
    };
  }
}

/** As long as the service asks, up to an hour. */
function waitAfter(error: FeedError): number {
  const { status, retryAfterMs } =
    error instanceof ServiceError ? error : { status: 0, retryAfterMs: 0 };
  const ownMs = status === 429 ? LIMITED_RETRY_MS : RETRY_MS;
  return Math.max(ownMs, Math.min(retryAfterMs, MAX_WAIT_MS));
}
