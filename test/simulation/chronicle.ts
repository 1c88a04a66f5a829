import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import {
  entityKey,
  type EntityKey,
  type EntityState,
} from '../../functions/core/model/entity-state.ts';
import type { Feed } from '../../functions/core/model/feed.ts';
import type { Job } from '../../functions/core/model/job.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import type { QuarantinedItem } from '../../functions/core/ports/quarantine.ts';
import type { RunSummary } from '../../functions/core/run/run-summary.ts';
import type { RecordingTelemetry } from '../support/recording-telemetry.ts';
import { Baselines, type InBaseline } from './baselines.ts';
import type { Delivery } from './delivery.ts';
import type { History } from './history/history.ts';
import { Leases } from './leases.ts';
import { copyExactly } from './numbers.ts';
import { placeOf } from './places.ts';
import { Replays, type Told } from './replays.ts';

/** A run, and how it ended. */
export interface RunRecord {
  readonly n: number;
  /** Runs that were started together share it. */
  readonly tick: number;
  readonly startedAt: number;
  endedAt?: number;
  summary?: RunSummary;
  /** The error it rejected with. */
  error?: unknown;
  died: boolean;
  /** It was killed at its time limit. */
  timedOut: boolean;
  requests: number;
  /** The partitions of its shard. */
  readonly partitions: readonly number[];
  /** Ids of the feeds whose lists were requested. */
  readonly requested: Set<string>;
  /** Calls that read or write states or feeds, except loading all feeds. */
  tableCalls: string[];
  readonly telemetry: RecordingTelemetry;
}

/** The first saved state of an entity, and whether its feed was in its baseline. */
export type Learned = Pick<EntityState, 'version' | 'deleted'> & {
  readonly inBaseline: InBaseline;
};

/** A feed as it was stored at a time. */
interface FeedVersion {
  readonly feed: Feed;
  readonly at: number;
}

/** Records everything that the notifier does to its ports. The promises are judged by this record. */
export class Chronicle {
  readonly runs: RunRecord[] = [];
  readonly deliveries: Delivery[] = [];
  readonly quarantined: QuarantinedItem[] = [];
  /** Those of them that an operator had tried again: if they are still invalid, they must come back. */
  readonly retried = new Set<QuarantinedItem>();
  /** Runs and subjects of events that the topic will never accept. */
  readonly refused = new Set<string>();
  /** Promises whose breach shows at once. */
  readonly violations: string[] = [];
  /** Feed and key of states that were saved first without an event and outside of a baseline. */
  readonly learnedInSilence: string[] = [];
  /** Ids of feeds that still waited some minutes after an outage of the service. */
  readonly delayedByOutage: string[] = [];
  /** Numbers of runs late in an outage that did not notice it. */
  readonly unaware: number[] = [];
  /** Ids of feeds that were not polled for minutes, although they were due and other lists were read. */
  readonly neglected: string[] = [];
  readonly baselines: Baselines;
  readonly replays = new Replays();
  readonly leases = new Leases(this.violations);
  /** Feeds by id, in the order in which they were stored. */
  readonly #versions = new Map<string, FeedVersion[]>();
  readonly #states = new Map<string, EntityState>();
  readonly #savedAt = new Map<string, number>();
  readonly #learned = new Map<string, Learned>();
  /** Feed and key of entities with an event. */
  readonly #delivered = new Set<string>();
  /** Ids of the events that told states: by feed, key and sequence. */
  readonly #toldBy = new Map<string, string>();
  /** How often the table has lost entities, by feed and key. */
  readonly #epochs = new Map<string, number>();
  /** Times to which an operator has ordered lists to be rewound. */
  readonly rewoundTo = new Set<string>();
  /** Feed and key of states that the table has lost. */
  readonly lostStates = new Set<string>();
  /** What the last reconcile came to on a calm service, by list; undefined if it never ended. */
  lastJobs: ReadonlyMap<string, Job> | undefined;
  /** How often an operator has ordered lists to be polled that wait. */
  retries = 0;
  /** How often an operator has had the quarantine tried again. */
  retryCount = 0;
  /** Ids of lists that were polled although they were paused. */
  readonly polledWhilePaused: string[] = [];

  constructor(history: History) {
    this.baselines = new Baselines(history);
  }

  /** The runs of the last tick: one of each shard. */
  get lastRuns(): readonly RunRecord[] {
    return this.runs.filter(({ tick }) => tick === this.runs.at(-1)?.tick);
  }

  feed(id: string): Feed | undefined {
    return this.#versions.get(id)?.at(-1)?.feed;
  }

  /** How often the table has lost an entity. */
  epoch(feedId: string, key: EntityKey): number {
    return this.#epochs.get(`${feedId} ${key}`) ?? 0;
  }

  state(feedId: string, key: EntityKey): EntityState | undefined {
    return this.#states.get(`${feedId} ${key}`);
  }

  /** Records that the table has lost the state of an entity. */
  lost(feedId: string, key: EntityKey): void {
    const id = `${feedId} ${key}`;
    this.#states.delete(id);
    this.lostStates.add(id);
    // What is told from now on may have a lower sequence than what was told before.
    this.#epochs.set(id, this.epoch(feedId, key) + 1);
  }

  /** The deliveries of all entities whose states were never lost: what others are told, nobody knows. */
  get sound(): readonly Delivery[] {
    if (this.lostStates.size === 0) return this.deliveries;
    return this.deliveries.filter(({ event }) => {
      const { feedId, key } = placeOf(event.subject);
      const parent = key.split('#').slice(1, 2).join();
      const around = `template_checklist#${parent}`;
      return ![key, around].some((each) => this.lostStates.has(`${feedId} ${each}`));
    });
  }

  /** The first saved state of an entity. */
  learned(feedId: string, key: EntityKey): Learned | undefined {
    return this.#learned.get(`${feedId} ${key}`);
  }

  /** Records an event that was accepted or quarantined. */
  delivered(event: ChangeEvent, run: number, isQuarantined: boolean): void {
    const { feedId, key } = placeOf(event.subject);
    const prior = this.state(feedId, key);
    const deliver = (): Delivery => ({
      event,
      run,
      prior,
      inBaseline: this.baselines.of(feedId, event.data.object.updated_at),
      isQuarantined,
      epoch: this.epoch(feedId, key),
    });
    if (event.cause === 'replay') {
      this.replays.deliveries.push({ ...deliver(), toldCount: this.deliveries.length });
      return;
    }
    this.#delivered.add(`${feedId} ${key}`);
    this.#toldBy.set(`${feedId} ${key} ${event.sequence}`, event.id);
    this.deliveries.push(deliver());
  }

  /** Whether the topic has refused an event of an entity. */
  wasRefused(subject: string): boolean {
    return this.refused.values().some((id) => id.endsWith(` ${subject}`));
  }

  /** The states that were told, and saved before a time. */
  *#toldBefore(at: number): Iterable<Told> {
    for (const [id, state] of this.#states) {
      const { sequence, unpublished } = state;
      const feed = this.feed(id.slice(0, id.indexOf(' ')));
      const eventId = this.#toldBy.get(`${id} ${toFixedWidth(sequence)}`);
      const isSavedBefore = (this.#savedAt.get(id) ?? 0) < at && unpublished === undefined;
      if (feed && eventId && isSavedBefore) yield { feed, state, eventId };
    }
  }

  /** Whether what was last told of an entity is saved. */
  isSaved(feedId: string, key: EntityKey): boolean {
    const last = this.deliveries.findLast(({ event }) => {
      const place = placeOf(event.subject);
      return place.feedId === feedId && place.key === key;
    });
    const saved = this.state(feedId, key)?.sequence ?? '';
    return last === undefined || last.event.sequence <= toFixedWidth(saved);
  }

  /** Records that the table has deleted a state that had expired. */
  expired(feedId: string, key: EntityKey): void {
    const id = `${feedId} ${key}`;
    for (const known of [this.#states, this.#learned, this.#delivered]) known.delete(id);
  }

  /** Records that an operator has quarantined entities tried again. */
  tryAgain(subjects: readonly string[]): void {
    for (const item of this.quarantined)
      if (subjects.includes(item.subject)) this.retried.add(item);
    this.retryCount += 1;
  }

  /** Records saved states. */
  saved(feedId: string, states: readonly EntityState[], at: number): void {
    for (const each of states) {
      const inBaseline = this.baselines.of(feedId, each.version);
      const id = `${feedId} ${each.key}`;
      this.#states.set(id, copyOf(each));
      this.#savedAt.set(id, at);
      if (this.#learned.has(id)) continue;
      this.#learned.set(id, { ...each, inBaseline });
      // What is unpublished is published next.
      const isSilent = each.unpublished === undefined;
      if (inBaseline === 'no' && isSilent && !this.#delivered.has(id)) {
        this.learnedInSilence.push(id);
      }
    }
  }

  /** A feed as it was stored at a time. */
  feedAt(id: string, time: number): Feed | undefined {
    return this.#versions.get(id)?.findLast(({ at }) => at <= time)?.feed;
  }

  /** Records a stored feed. */
  stored(feed: Feed, run: number, at: number): void {
    const earlier = this.feed(feed.id);
    this.#versions.set(feed.id, [...(this.#versions.get(feed.id) ?? []), { feed, at }]);
    if (earlier === undefined) this.baselines.added(feed, this.#foundDeleted(feed.projectId));
    else this.baselines.committed(run, earlier, feed);
    const before = earlier?.cursor;
    this.replays.stored(earlier, feed, at, (time) => this.#toldBefore(time));
    const isReconciled = feed.job?.name === 'reconcile' && feed.job !== earlier?.job;
    const isRewound = this.rewoundTo.has(feed.cursor ?? '') || isReconciled;
    const isBack = before !== undefined && (feed.cursor === undefined || feed.cursor < before);
    if (isBack && !isRewound) {
      this.violations.push(
        `a cursor never goes back: ${feed.id} went from ${before} to ${feed.cursor ?? 'none'}`,
      );
    }
  }

  /** Whether it was the baseline that first found a project, if that was deleted. */
  #foundDeleted(projectId = ''): InBaseline | undefined {
    const key = entityKey('project', projectId);
    const project = this.state('projects', key) && this.learned('projects', key);
    return project?.deleted === true ? project.inBaseline : undefined;
  }
}

function copyOf({ content, ...state }: EntityState): EntityState {
  const kept = copyExactly(content?.());
  return { ...copyExactly(state), ...(kept && { content: () => kept }) };
}
