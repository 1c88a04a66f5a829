import { invalidKey } from '../../functions/core/changes/invalid-entity.ts';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { PlacedCommand } from '../../functions/core/model/command.ts';
import {
  entityKey,
  type EntityKey,
  type EntityState,
} from '../../functions/core/model/entity-state.ts';
import type { InvalidEntity } from '../../functions/core/model/entity.ts';
import type { Feed } from '../../functions/core/model/feed.ts';
import { parseJson } from '../../functions/core/model/json/json.ts';
import type { ProjectOrder } from '../../functions/core/model/project-state.ts';
import type { ReconcileReport } from '../../functions/core/model/reconcile-report.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import type { QuarantinedItem } from '../../functions/core/ports/quarantine.ts';
import type { RunSummary } from '../../functions/core/run/run-summary.ts';
import type { RecordingTelemetry } from '../support/recording-telemetry.ts';
import { Baselines, type InBaseline } from './baselines.ts';
import type { Delivery } from './delivery.ts';
import { isForgotten } from './forgetting.ts';
import type { History } from './history/history.ts';
import { Leases } from './leases.ts';
import { copyExactly } from './numbers.ts';
import { placeOf } from './places.ts';
import { Replays, type Told } from './replays.ts';
import { Retells } from './retells.ts';

/** Lists that were parked no longer ago may be parked anew, see MIN_PARKED_MS of the core. */
const RECENT_MS = 600_000;

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
  /** How often the number of shards was changed in the table. */
  generations = 0;
  readonly baselines: Baselines;
  readonly #history: History;
  readonly replays = new Replays();
  readonly retells = new Retells();
  readonly leases = new Leases(this.violations);
  /** Feeds by id, in the order in which they were stored. */
  readonly #versions = new Map<string, FeedVersion[]>();
  readonly #states = new Map<string, EntityState>();
  readonly #savedAt = new Map<string, number>();
  /** The states of projects that were forgotten and then told as created. */
  readonly #recreated = new Set<EntityState>();
  /** The number of deliveries before that, by the ids of projects. */
  readonly #recreatedAt = new Map<string, number>();
  readonly #learned = new Map<string, Learned>();
  /** Feed and key of entities with an event. */
  readonly #delivered = new Set<string>();
  /** Ids of the events that told states: by feed, key and sequence. */
  readonly #toldBy = new Map<string, string>();
  /** How often lists were forgotten, by the ids of their feeds, and entities forgotten or lost, by feed and key. */
  readonly #epochs = new Map<string, number>();
  /** Times to which an operator has ordered lists to be rewound. */
  readonly rewoundTo = new Set<string>();
  /** Feed and key of states that the table has lost. */
  readonly lostStates = new Set<string>();
  /** What the last reconciliation reports, on a calm service; undefined if it never ended. */
  lastReports: readonly ReconcileReport[] | undefined;
  /** How often an operator has ordered lists to be polled that wait. */
  retries = 0;
  /** How often an operator has ordered lists to be read again for what is in the quarantine. */
  rereads = 0;
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

  /** How often a list, or an entity by its feed and key, was forgotten. */
  epoch(feedId: string): number {
    return this.#epochs.get(feedId) ?? 0;
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
    this.#epochs.set(id, this.epoch(id) + 1);
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
    const prior = this.#knownTo(run, feedId, key);
    const deliver = (): Delivery => ({
      event,
      run,
      prior,
      inBaseline: this.baselines.of(feedId, event.data.object.updated_at),
      isQuarantined,
      epoch: this.epoch(feedId) + this.epoch(`${feedId} ${key}`),
    });
    if (event.cause === 'replay') {
      this.replays.deliveries.push({ ...deliver(), toldCount: this.deliveries.length });
      return;
    }
    const forgotten = prior ? undefined : this.state(feedId, key);
    const isAnew = event.type === 'project.created' && !this.#keepsLists(event.partitionkey, run);
    if (forgotten && isAnew && !this.#recreated.has(forgotten)) {
      this.#recreated.add(forgotten);
      this.#recreatedAt.set(event.partitionkey, this.deliveries.length);
    }
    if (forgotten && event.type === 'project.deleted') {
      this.baselines.foundDeletedAgain(event.partitionkey);
    }
    if (event.type === 'project.restored') this.baselines.restored(event.partitionkey);
    this.#delivered.add(`${feedId} ${key}`);
    this.#toldBy.set(`${feedId} ${key} ${event.sequence}`, event.id);
    this.deliveries.push(deliver());
  }

  /**
   * Whether a project that is created again keeps its lists. They are polled, if it looked deleted as it was restored in
   * the millisecond of its delete, or if its restore was told by a run that died before it had saved that. Or one of
   * them was parked a short time ago.
   */
  #keepsLists(projectId: string, run: number): boolean {
    const before = (this.runs[run]?.startedAt ?? 0) - RECENT_MS;
    const lists = this.#versions.keys().filter((id) => id.startsWith(`projects/${projectId}/`));
    return lists.some((id) => {
      const { parked, parkedAt = Infinity } = this.feed(id) ?? {};
      return parked !== 'project-deleted' || parkedAt > before;
    });
  }

  /** Whether the topic has refused an event of an entity. */
  wasRefused(subject: string): boolean {
    return this.refused.values().some((id) => id.endsWith(` ${subject}`));
  }

  /** Records that a command was carried out in a partition. */
  carriedOut(placed: PlacedCommand, run: number): void {
    this.replays.done(placed, (at) => this.#toldBefore(at, run));
    this.retells.done(placed);
  }

  /** The states that were told, and saved before a time, and that a run knows. */
  *#toldBefore(at: number, run: number): Iterable<Told> {
    for (const [id, { key, sequence, pendingEvent }] of this.#states) {
      const feedId = id.slice(0, id.indexOf(' '));
      const feed = this.feed(feedId);
      const state = this.#knownTo(run, feedId, key);
      const eventId = this.#toldBy.get(`${id} ${toFixedWidth(sequence)}`);
      const isSavedBefore = (this.#savedAt.get(id) ?? 0) < at && pendingEvent === undefined;
      if (feed && state && eventId && isSavedBefore) yield { feed, state, eventId };
    }
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
  removed(feedId: string, at: number): void {
    const { projectId = '', parkedAt = Infinity } = this.feed(feedId) ?? {};
    // The lists of a project that is created again begin anew, whatever changed in them since they were parked.
    // An event that the topic refuses is in the quarantine only after that, or not at all in its run.
    const isRefused = this.wasRefused(`/projects/${projectId}`);
    const isAnew = this.#recreatedAt.has(projectId) || isRefused;
    const keptFrom = isAnew ? parkedAt : this.#changedAt(feedId);
    if (keptFrom + RECENT_MS > at)
      this.violations.push(`a list is kept while it changes: ${feedId} was removed`);
    this.#epochs.set(feedId, this.epoch(feedId) + 1);
    this.baselines.removed(projectId);
    this.#versions.delete(feedId);
    const isOfFeed = (id: string): boolean => id.startsWith(`${feedId} `);
    for (const known of [this.#states, this.#learned, this.#delivered, this.#toldBy]) {
      for (const id of known.keys()) if (isOfFeed(id)) known.delete(id);
    }
  }

  /** When a list was last stored with a change. */
  #changedAt(feedId: string): number {
    const versions = this.#versions.get(feedId) ?? [];
    const hasChanged = ({ feed }: FeedVersion, n: number): boolean =>
      feed.lastChange !== versions[n - 1]?.feed.lastChange;
    return versions.findLast(hasChanged)?.at ?? -Infinity;
  }

  /** Records that states were deleted. */
  deleted(feedId: string, keys: readonly EntityKey[]): void {
    for (const key of keys) {
      const id = `${feedId} ${key}`;
      if (!this.#states.has(id)) continue;
      this.#epochs.set(id, this.epoch(id) + 1);
      for (const item of this.quarantined) {
        if (item.feed === feedId && markOf(item) === key) this.retried.add(item);
      }
      for (const known of [this.#states, this.#learned, this.#delivered]) known.delete(id);
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
      const before = this.#states.get(id);
      const savedAt = this.#savedAt.get(id) ?? 0;
      const wasForgotten = before && isForgotten(before, savedAt, at, this.#history);
      this.#states.set(id, copyOf(each));
      this.#savedAt.set(id, at);
      // What was forgotten before the end of the baseline is learned anew there.
      const isLearnedAnew = wasForgotten && inBaseline !== 'no';
      if (this.#learned.has(id) && !isLearnedAnew) continue;
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
    const isRewound = this.rewoundTo.has(feed.cursor ?? '');
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

/** The key under which the store remembers a quarantined entity. A copy has numbers of another class. */
export function markOf({ reason, value }: Pick<QuarantinedItem, 'reason' | 'value'>): EntityKey {
  return invalidKey(parseJson(JSON.stringify({ reason, value })) as InvalidEntity);
}

function copyOf({ content, ...state }: EntityState): EntityState {
  const kept = copyExactly(content?.());
  return { ...copyExactly(state), ...(kept && { content: () => kept }) };
}
