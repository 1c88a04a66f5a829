import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import {
  entityKey,
  type EntityKey,
  type EntityState,
} from '../../functions/core/model/entity-state.ts';
import type { Feed } from '../../functions/core/model/feed.ts';
import type { ProjectOrder } from '../../functions/core/model/project-state.ts';
import type { QuarantinedItem } from '../../functions/core/ports/quarantine.ts';
import type { RunSummary } from '../../functions/core/run/run-summary.ts';
import type { RecordingTelemetry } from '../support/recording-telemetry.ts';
import { Baselines, type InBaseline } from './baselines.ts';
import { isForgotten } from './forgetting.ts';
import type { History } from './history.ts';
import { Leases } from './leases.ts';
import { copyExactly } from './numbers.ts';
import { placeOf } from './places.ts';

/** An event that was published or quarantined. */
export interface Delivery {
  readonly event: ChangeEvent;
  /** The run that published it. */
  readonly run: number;
  /** The saved state of its entity at that time. */
  readonly prior: EntityState | undefined;
  /** Whether its feed was in its baseline at that time. */
  readonly inBaseline: InBaseline;
  /** True when the topic refused it. */
  readonly isQuarantined: boolean;
  /** How often its list was forgotten before. */
  readonly epoch: number;
}

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
  /** Whether an answer had a `Date`. */
  hasDate?: boolean;
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

/** Records everything that the notifier does to its ports. The promises are judged by this record. */
export class Chronicle {
  readonly runs: RunRecord[] = [];
  readonly deliveries: Delivery[] = [];
  readonly quarantined: QuarantinedItem[] = [];
  /** Promises whose breach shows at once. */
  readonly violations: string[] = [];
  /** Feed and key of states that were saved first without an event and outside of a baseline. */
  readonly learnedInSilence: string[] = [];
  /** Ids of feeds that still waited some minutes after an outage of the service. */
  readonly delayedByOutage: string[] = [];
  /** Ids of feeds that were not polled for minutes, although they were due and other lists were read. */
  readonly neglected: string[] = [];
  /** How often the number of shards was changed in the table. */
  generations = 0;
  readonly baselines: Baselines;
  readonly #history: History;
  readonly leases = new Leases(this.violations);
  /** Feeds by id, in the order in which they were stored. */
  readonly #versions = new Map<string, { readonly feed: Feed; readonly at: number }[]>();
  readonly #states = new Map<string, EntityState>();
  readonly #savedAt = new Map<string, number>();
  /** The states of projects that were forgotten and then told as created. */
  readonly #recreated = new Set<EntityState>();
  /** The number of deliveries before that, by the ids of projects. */
  readonly #recreatedAt = new Map<string, number>();
  readonly #learned = new Map<string, Learned>();
  /** Feed and key of entities with an event. */
  readonly #delivered = new Set<string>();
  /** How often lists were forgotten, by the ids of their feeds. */
  readonly #epochs = new Map<string, number>();
  /** Times to which an operator has ordered lists to be rewound. */
  readonly rewoundTo = new Set<string>();
  /** How often an operator has ordered lists to be polled that wait. */
  retries = 0;
  /** Ids of lists that were polled although they were paused. */
  readonly polledWhilePaused: string[] = [];

  constructor(history: History) {
    this.#history = history;
    this.baselines = new Baselines(history);
  }

  /** The runs of the last tick: one of each shard. */
  get lastRuns(): readonly RunRecord[] {
    return this.runs.filter(({ tick }) => tick === this.runs.at(-1)?.tick);
  }

  feed(id: string): Feed | undefined {
    return this.#versions.get(id)?.at(-1)?.feed;
  }

  /** How often a list was forgotten. */
  epoch(feedId: string): number {
    return this.#epochs.get(feedId) ?? 0;
  }

  state(feedId: string, key: EntityKey): EntityState | undefined {
    return this.#states.get(`${feedId} ${key}`);
  }

  /** The first saved state of an entity. */
  learned(feedId: string, key: EntityKey): Learned | undefined {
    return this.#learned.get(`${feedId} ${key}`);
  }

  /** Records an event that was accepted or quarantined. */
  delivered(event: ChangeEvent, run: number, isQuarantined: boolean): void {
    const { feedId, key } = placeOf(event.subject);
    const prior = this.#knownTo(run, feedId, key);
    const forgotten = prior ? undefined : this.state(feedId, key);
    if (forgotten && event.type === 'project.created' && !this.#recreated.has(forgotten)) {
      this.#recreated.add(forgotten);
      this.#recreatedAt.set(event.data.object.id, this.deliveries.length);
    }
    if (forgotten && event.type === 'project.deleted') {
      this.baselines.foundDeletedAgain(event.data.object.id);
    }
    this.#delivered.add(`${feedId} ${key}`);
    this.deliveries.push({
      event,
      run,
      prior,
      inBaseline: this.baselines.of(feedId, event.data.object.updated_at),
      isQuarantined,
      epoch: this.epoch(feedId),
    });
  }

  /** A state that is not forgotten when a run starts. */
  #knownTo(run: number, feedId: string, key: EntityKey): EntityState | undefined {
    const state = this.state(feedId, key);
    const { startedAt = 0 } = this.runs[run] ?? {};
    const savedAt = this.#savedAt.get(`${feedId} ${key}`) ?? 0;
    const isGone = state && isForgotten(state, savedAt, startedAt, this.#history);
    return isGone === true ? undefined : state;
  }

  /** Records that a feed was removed, with all its states. */
  removed(feedId: string): void {
    this.#epochs.set(feedId, this.epoch(feedId) + 1);
    this.baselines.removed(this.feed(feedId)?.projectId ?? '');
    this.#versions.delete(feedId);
    const isOfFeed = (id: string): boolean => id.startsWith(`${feedId} `);
    for (const known of [this.#states, this.#learned, this.#delivered]) {
      for (const id of known.keys()) if (isOfFeed(id)) known.delete(id);
    }
  }

  /** Records that states were deleted. */
  deleted(feedId: string, keys: readonly EntityKey[]): void {
    for (const key of keys) {
      for (const known of [this.#states, this.#learned, this.#delivered]) {
        known.delete(`${feedId} ${key}`);
      }
    }
  }

  /** The deliveries since a project was last told as created, after it was forgotten; all of others. */
  get valid(): readonly Delivery[] {
    return this.deliveries.filter((delivery, n) => {
      const { projectid = '' } = delivery.event;
      return n >= (this.#recreatedAt.get(projectid) ?? 0);
    });
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
      // Events in the outbox are published next; quarantined entities raise none.
      const isSilent = each.pendingEvent === undefined && !each.key.startsWith('invalid#');
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
    if (earlier === undefined) this.baselines.added(feed, this.#foundDeleted(run, feed.projectId));
    else this.baselines.committed(run, earlier, feed);
    const before = earlier?.cursor;
    const isRewound = feed.cursor !== undefined && this.rewoundTo.has(feed.cursor);
    const isBack = before !== undefined && (feed.cursor === undefined || feed.cursor < before);
    if (isBack && !isRewound) {
      this.violations.push(
        `a cursor never goes back: ${feed.id} went from ${before} to ${feed.cursor ?? 'none'}`,
      );
    }
  }

  /** Records an order for the feeds of a project. */
  ordered({ projectId, deleted }: ProjectOrder, run: number): void {
    if (!deleted) this.baselines.ordered(projectId, this.#foundDeleted(run, projectId));
  }

  /** Whether it was the baseline that first found a project, if that was deleted. */
  #foundDeleted(run: number, projectId = ''): InBaseline | undefined {
    const key = entityKey('project', projectId);
    const project = this.#knownTo(run, 'projects', key) && this.learned('projects', key);
    return project?.deleted === true ? project.inBaseline : undefined;
  }
}

function copyOf({ content, ...state }: EntityState): EntityState {
  const kept = copyExactly(content?.());
  return { ...copyExactly(state), ...(kept && { content: () => kept }) };
}
