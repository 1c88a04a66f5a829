import type { RunSummary } from '../../../../functions/core/run/run-summary.ts';
import { countOf } from '../../../count-of.ts';
import type { LocalStack } from '../../stack/local-stack.ts';
import type { ObservedRun, RunObserver } from '../../terminal/run-session.ts';
import type { FlowCounts, Note, Place, RunOutcome, RunView, SessionView } from '../protocol.ts';
import { describeRun, eventCountOf, outcomeOf } from './describe-run.ts';
import { activeFaults } from './faults.ts';
import { readLogLine } from './read-log-line.ts';
import { readPollerConfig } from './read-poller-config.ts';
import { SessionNotes } from './session-notes.ts';

const MAX_RUNS = 80;
const MINUTE_MS = 60_000;

/** What is known of a session before its stack has started. */
export interface FollowedSession {
  /** Seconds between two runs. */
  readonly everySeconds: number;
  readonly isSimulated: boolean;
}

/** What the session of `npm start` does, followed from outside. */
export class SessionMonitor implements RunObserver {
  /** Called whenever the view has changed. */
  readonly listeners = new Set<() => void>();
  activity: SessionView['activity'];
  readonly #everySeconds: number;
  readonly #isSimulated: boolean;
  #stack: LocalStack | undefined;
  #phase: SessionView['phase'] = 'starting';
  readonly #notes = new SessionNotes();
  #runs: readonly RunView[] = [];
  #counts = {
    requestCount: 0,
    runCount: 0,
    entityCount: 0,
    listCount: 0,
    publishedCount: 0,
    quarantinedCount: 0,
  };
  #sent: readonly { readonly at: number; readonly count: number }[] = [];
  #learnedAt: number | undefined;
  #isKillArmed = false;
  /** Keys of the runs that were killed and have not ended yet. */
  readonly #killed = new Set<string>();
  /** Whether anything has gone wrong since a run was whole. */
  #hasTrouble = false;
  readonly #onRequest = (): void => {
    this.#counts.requestCount += 1;
    if (this.#isKillArmed && this.isRunning) void this.#killNow();
    this.#changed();
  };

  constructor({ everySeconds, isSimulated }: FollowedSession) {
    this.#everySeconds = everySeconds;
    this.#isSimulated = isSimulated;
  }

  attach(stack: LocalStack): void {
    this.#stack = stack;
    this.#phase = 'running';
    stack.service?.requestListeners.add(this.#onRequest);
    this.#changed();
  }

  detach(): void {
    this.#stack?.service?.requestListeners.delete(this.#onRequest);
    this.#phase = 'stopped';
    this.#changed();
  }

  /** Whether a run is under way. */
  get isRunning(): boolean {
    return this.#runs.some(({ outcome }) => outcome === 'running');
  }

  get runs(): readonly RunView[] {
    return this.#runs;
  }

  /** @param receivedCount messages of the console's queue. */
  view(receivedCount: number): SessionView {
    const service = this.#stack?.service;
    const flow: FlowCounts = { ...this.#counts, receivedCount };
    return {
      phase: this.#phase,
      service: { url: this.#stack?.baseUrl ?? '', isSimulated: this.#isSimulated },
      everySeconds: this.#everySeconds,
      ...(this.#learnedAt !== undefined && { learnedAt: this.#learnedAt }),
      ...(service && this.activity && { activity: this.activity }),
      faults: service ? activeFaults(service) : [],
      isKillArmed: this.#isKillArmed,
      flow,
      ...this.#budget(),
      runs: this.#runs,
      notes: this.#notes.all,
    };
  }

  /** Adds a note on what happened at a place. */
  note(place: Place, tone: Note['tone'], text: string): void {
    // A run cannot recover what is wrong behind the topic.
    if (tone === 'problem' && place !== 'subscribers') this.#hasTrouble = true;
    this.#notes.add(place, tone, text);
    this.#changed();
  }

  /** Kills the poller's process: at once during a run, else at the first request of the next one. */
  async kill(): Promise<void> {
    this.#isKillArmed = true;
    if (this.isRunning) await this.#killNow();
    this.#changed();
  }

  runStarted({ number, shard }: ObservedRun): void {
    const details = 'under way';
    const run = {
      number,
      shard,
      startedAt: Date.now(),
      outcome: 'running',
      eventCount: 0,
      details,
    } as const;
    this.#runs = [...this.#runs, run].slice(-MAX_RUNS);
    // The requests to a real service are not seen.
    if (this.#isKillArmed && !this.#stack?.service) void this.#killNow();
    this.#changed();
  }

  wasKilled(run: ObservedRun): boolean {
    return this.#killed.has(keyOf(run));
  }

  runEnded(run: ObservedRun, result: RunSummary | string): void {
    const wasKilled = this.#killed.delete(keyOf(run));
    const isKilled = wasKilled && typeof result === 'string';
    const outcome: RunOutcome = isKilled ? 'killed' : outcomeOf(result);
    this.#close(run, outcome, result);
    if (typeof result === 'string' && !isKilled) {
      this.#hasTrouble = true;
      this.#notes.addFailedRun(run.number, result);
    } else this.#notes.endFailedRuns();
    if (isKilled) this.#noteKilled(run.number);
    else if (typeof result !== 'string') this.#count(run.number, result);
    this.#changed();
  }

  /** Reads a line that a function has written. */
  readLog(line: string): void {
    const { problem, place = 'poller', requestCount } = readLogLine(line);
    if (requestCount !== undefined) {
      const at = Date.now();
      const recent = this.#sent.filter((sent) => sent.at > at - MINUTE_MS);
      this.#sent = [...recent, { at, count: requestCount }];
      if (!this.#stack?.service) this.#counts.requestCount += requestCount;
    }
    if (problem === undefined || this.#notes.hasLately(problem)) return;
    this.note(place, 'problem', problem);
  }

  async #killNow(): Promise<void> {
    this.#isKillArmed = false;
    for (const run of this.#runs) if (run.outcome === 'running') this.#killed.add(keyOf(run));
    await this.#stack?.killFunction();
  }

  #close(ended: ObservedRun, outcome: RunOutcome, result: RunSummary | string): void {
    this.#runs = this.#runs.map((run) =>
      keyOf(run) === keyOf(ended)
        ? {
            ...run,
            outcome,
            durationMs: Date.now() - run.startedAt,
            eventCount: typeof result === 'string' ? 0 : eventCountOf(result),
            details: outcome === 'killed' ? 'killed by you' : describeRun(result),
          }
        : run,
    );
  }

  #noteKilled(number: number): void {
    this.note(
      'poller',
      'problem',
      `You killed the poller in the middle of run ${number}. Nothing is lost: a cursor moves only with a page that is published and saved. Its lease ends within 20 s; until then runs find it held. Then a run reads the pages again that it was at.`,
    );
  }

  #count(number: number, summary: RunSummary): void {
    if (summary.leaseHeld) return;
    const isFirst = this.#counts.entityCount === 0 && summary.entities > 0;
    if (isFirst) this.#learnedAt = Date.now();
    const eventCount = eventCountOf(summary);
    this.#counts.runCount += 1;
    this.#counts.entityCount += summary.entities;
    this.#counts.publishedCount += eventCount;
    this.#counts.quarantinedCount += summary.quarantined;
    this.#counts.listCount = summary.feeds;
    const { waiting, outageSince } = summary;
    if (waiting > 0 || outageSince !== undefined) this.#hasTrouble = true;
    else if (this.#hasTrouble && this.#isServiceWell()) {
      this.#hasTrouble = false;
      this.note(
        'poller',
        'recovered',
        `Recovered with run ${number}: all lists are polled again, and nothing was lost. It published ${countOf(eventCount, 'event')}.`,
      );
    }
    if (isFirst && eventCount === 0) {
      this.note(
        'table',
        'info',
        `Run ${number} learned ${summary.entities} entities in silence: the baseline. From now on each change becomes an event.`,
      );
    }
  }

  #isServiceWell(): boolean {
    const service = this.#stack?.service;
    return service === undefined || activeFaults(service).length === 0;
  }

  #budget(): Pick<SessionView, 'budget' | 'serviceVersion'> {
    const config = this.#stack ? readPollerConfig(this.#stack.provisioned) : undefined;
    const since = Date.now() - MINUTE_MS;
    const recent = this.#sent.filter(({ at }) => at > since);
    const used = recent.reduce((sum, { count }) => sum + count, 0);
    return {
      budget: { perMinute: config?.requestsPerMinute ?? 0, ...(recent.length > 0 && { used }) },
      ...(config?.serviceVersion !== undefined && { serviceVersion: config.serviceVersion }),
    };
  }

  #changed(): void {
    for (const listener of this.listeners) listener();
  }
}

function keyOf({ number, shard }: ObservedRun): string {
  return `${number}.${shard}`;
}
