import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import type { EntityKey, EntityState } from '../../../functions/core/model/entity-state.ts';
import type { Feed } from '../../../functions/core/model/feed.ts';
import type { Job } from '../../../functions/core/model/job.ts';
import { toFixedWidth, type Timestamp } from '../../../functions/core/model/timestamp.ts';
import type { QuarantinedItem } from '../../../functions/core/ports/quarantine.ts';
import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import { copyOf } from '../world/service.ts';
import type { Delivery } from './delivery.ts';
import { Leases } from './leases.ts';
import { placeOf } from './place-of.ts';
import { Replays, type Published } from './replays.ts';

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
  readonly tableCalls: string[];
}

/** A state that was saved without an event. */
export interface SilentSave {
  readonly feedId: string;
  readonly key: EntityKey;
  readonly version: Timestamp;
  /** Whether the entity had no state before. */
  readonly isFirst: boolean;
}

/** The first pass over the list of projects, in milliseconds of virtual time; 0: not yet. */
export interface FirstPass {
  /** The first request for the list. */
  askedAt: number;
  /** The first commit: the pass has begun by then. */
  begunBy: number;
  /** The end of a run that certainly finished the pass. */
  endedBy: number;
}

/** Everything that the notifier does to its ports. The invariants are judged by it. */
export class Trace {
  readonly runs: RunRecord[] = [];
  readonly deliveries: Delivery[] = [];
  readonly silentSaves: SilentSave[] = [];
  readonly quarantined: QuarantinedItem[] = [];
  /** Quarantined items that an operator tried again. Those still invalid come back. */
  readonly retried = new Set<QuarantinedItem>();
  /** Subjects of events that the topic has refused. */
  readonly refused = new Set<string>();
  /** Breaches that show at once. */
  readonly violations: string[] = [];
  readonly firstPass: FirstPass = { askedAt: 0, begunBy: 0, endedBy: 0 };
  readonly replays = new Replays();
  readonly leases = new Leases(this.violations);
  /** Times to which an operator has ordered lists to be rewound. */
  readonly rewoundTo = new Set<string>();
  /** The result of the last reconcile on a calm service, by list. */
  lastJobs: ReadonlyMap<string, Job> | undefined;
  /** How often an operator has ordered lists or the quarantine to be tried again. */
  retries = 0;
  /** Feeds by id, in the order in which they were stored. */
  readonly #versions = new Map<string, { readonly feed: Feed; readonly at: number }[]>();
  readonly #states = new Map<string, EntityState>();
  readonly #savedAt = new Map<string, number>();
  /** Ids of the events by feed, key and sequence. */
  readonly #published = new Map<string, string>();

  /** The runs of the last tick: one of each shard. */
  get lastRuns(): readonly RunRecord[] {
    return this.runs.filter(({ tick }) => tick === this.runs.at(-1)?.tick);
  }

  feed(id: string): Feed | undefined {
    return this.#versions.get(id)?.at(-1)?.feed;
  }

  /** When a feed was first stored. */
  addedAt(id: string): number {
    return this.#versions.get(id)?.[0]?.at ?? 0;
  }

  /** A feed as it was stored at a time. */
  feedAt(id: string, time: number): Feed | undefined {
    return this.#versions.get(id)?.findLast(({ at }) => at <= time)?.feed;
  }

  state(feedId: string, key: EntityKey): EntityState | undefined {
    return this.#states.get(`${feedId} ${key}`);
  }

  /** Records an event that was accepted or quarantined. */
  delivered(made: ChangeEvent, run: number, isQuarantined: boolean): void {
    const event = copyOf(made);
    const { feedId, key } = placeOf(event.subject);
    const delivery = { event, run, prior: this.state(feedId, key), isQuarantined };
    if (event.cause === 'replay') {
      this.replays.deliveries.push({ ...delivery, publishedCount: this.deliveries.length });
      return;
    }
    this.#published.set(`${feedId} ${key} ${event.sequence}`, event.id);
    this.deliveries.push(delivery);
  }

  /** Records saved states. */
  saved(feedId: string, states: readonly EntityState[], at: number): void {
    for (const state of states) {
      const { key, version, sequence, unpublished } = state;
      const id = `${feedId} ${key}`;
      const before = this.#states.get(id);
      this.#states.set(id, { ...state, ...contentOf(state) });
      this.#savedAt.set(id, at);
      const isNew = before === undefined || before.sequence !== sequence;
      const isPublished = this.#published.has(`${id} ${toFixedWidth(sequence)}`);
      if (isNew && !isPublished && unpublished === undefined)
        this.silentSaves.push({ feedId, key, version, isFirst: before === undefined });
    }
  }

  /** Records a stored feed. */
  stored(feed: Feed, at: number): void {
    const earlier = this.feed(feed.id);
    this.#versions.set(feed.id, [...(this.#versions.get(feed.id) ?? []), { feed, at }]);
    const hasBegun = feed.cursor !== undefined || feed.phase === 'live';
    if (feed.id === 'projects' && hasBegun) this.firstPass.begunBy ||= at;
    this.replays.stored(earlier, feed, at, (time) => this.#publishedBefore(feed, time));
    this.#checkCursor(earlier, feed);
  }

  #checkCursor(earlier: Feed | undefined, { id, cursor, job }: Feed): void {
    const before = earlier?.cursor;
    if (before === undefined || (cursor !== undefined && cursor >= before)) return;
    const isReconciled = job?.name === 'reconcile' && job !== earlier?.job;
    if (this.rewoundTo.has(cursor ?? '') || isReconciled) return;
    this.violations.push(`the cursor of ${id} went back from ${before} to ${cursor ?? 'none'}`);
  }

  /** The states of a list that were published, and saved before a time. */
  *#publishedBefore({ id: feedId }: Feed, at: number): Iterable<Published> {
    for (const [id, state] of this.#states) {
      const eventId = this.#published.get(`${id} ${toFixedWidth(state.sequence)}`);
      const isSaved = (this.#savedAt.get(id) ?? 0) < at && state.unpublished === undefined;
      if (id.startsWith(`${feedId} `) && eventId && isSaved) yield { state, eventId };
    }
  }
}

function contentOf({ content }: EntityState): Pick<EntityState, 'content'> {
  const kept = copyOf(content?.());
  return kept === undefined ? {} : { content: () => kept };
}
