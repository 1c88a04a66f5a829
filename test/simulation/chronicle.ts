import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { Feed } from '../../functions/core/model/feed.ts';
import type { EntityKey, EntityState } from '../../functions/core/model/entity-state.ts';
import type { RunSummary } from '../../functions/core/run/run-summary.ts';
import { Baselines, type InBaseline } from './baselines.ts';
import { placeOf } from './places.ts';
import type { RecordingTelemetry } from '../support/recording-telemetry.ts';
import { type QuarantinedItem } from '../../functions/core/ports/quarantine.ts';

/** An event on its way to subscribers. */
export interface Delivery {
  readonly event: ChangeEvent;
  /** The run that published it. */
  readonly run: number;
  /** What the store held of its entity then. */
  readonly prior: EntityState | undefined;
  /** Whether its feed was in its baseline then. */
  readonly inBaseline: InBaseline;
  /** True when it went to the quarantine, since the topic would never take it. */
  readonly setAside: boolean;
}

/** A run, and how it ended. */
export interface RunRecord {
  readonly n: number;
  readonly startedAt: number;
  endedAt?: number;
  summary?: RunSummary;
  /** What it rejected with. */
  error?: unknown;
  died: boolean;
  /** It died because its time was over. */
  timedOut: boolean;
  requests: number;
  /** Calls that read or write entities or feeds, but for loading all feeds. */
  tableCalls: string[];
  readonly telemetry: RecordingTelemetry;
}

/** What the store was first told of an entity. */
export interface Learned {
  readonly version: string;
  /** Whether its feed was in its baseline. */
  readonly inBaseline: InBaseline;
  /** True when it was deleted. */
  readonly deleted: boolean;
}

/** What happened at the edges of the notifier: all that its promises are judged by. */
export class Chronicle {
  readonly runs: RunRecord[] = [];
  readonly deliveries: Delivery[] = [];
  readonly quarantined: QuarantinedItem[] = [];
  /** Broken rules that are seen at once, in words. */
  readonly violations: string[] = [];
  /** What was saved first without an event, and not in a baseline: feed and key. */
  readonly learnedInSilence: string[] = [];
  readonly baselines: Baselines;
  readonly #feeds = new Map<string, Feed>();
  /** By id, in the order in which they were stored. */
  readonly #versions = new Map<string, { readonly feed: Feed; readonly at: number }[]>();
  readonly #known = new Map<string, EntityState>();
  readonly #learned = new Map<string, Learned>();
  /** Of what there was an event. */
  readonly #delivered = new Set<string>();
  #leaseHolder: { readonly owner: string; readonly expiresAt: number } | undefined;

  constructor(baseline: 'silent' | 'emit') {
    this.baselines = new Baselines(baseline);
  }

  feed(id: string): Feed | undefined {
    return this.#feeds.get(id);
  }

  known(feedId: string, key: EntityKey): EntityState | undefined {
    return this.#known.get(`${feedId} ${key}`);
  }

  /** What the store was first told of an entity. */
  learned(feedId: string, key: EntityKey): Learned | undefined {
    return this.#learned.get(`${feedId} ${key}`);
  }

  /** Notes that an event was accepted, or set aside since it never will be. */
  delivered(event: ChangeEvent, run: number, setAside: boolean): void {
    const { feedId, key } = placeOf(event.subject);
    this.#delivered.add(`${feedId} ${key}`);
    this.deliveries.push({
      event,
      run,
      prior: this.known(feedId, key),
      inBaseline: this.baselines.of(feedId),
      setAside,
    });
  }

  /** Notes what the store holds from now on. */
  saved(feedId: string, known: readonly EntityState[]): void {
    const inBaseline = this.baselines.of(feedId);
    for (const each of known) {
      const id = `${feedId} ${each.key}`;
      this.#known.set(id, copyOf(each));
      if (this.#learned.has(id)) continue;
      this.#learned.set(id, { ...each, inBaseline });
      // What is announced is published next; what was set aside raises no event.
      const isSilent = each.pendingEvent === undefined && !each.key.startsWith('invalid#');
      if (inBaseline === 'no' && isSilent && !this.#delivered.has(id)) {
        this.learnedInSilence.push(id);
      }
    }
  }

  /** A feed as the store held it at a time; undefined when it did not yet. */
  feedAt(id: string, time: number): Feed | undefined {
    return this.#versions.get(id)?.findLast(({ at }) => at <= time)?.feed;
  }

  /** Notes a feed as a run stores it. */
  stored(feed: Feed, run: number, at: number): void {
    this.#versions.set(feed.id, [...(this.#versions.get(feed.id) ?? []), { feed, at }]);
    const earlier = this.#feeds.get(feed.id);
    if (earlier === undefined) this.baselines.added(feed);
    else this.baselines.committed(run, earlier, feed);
    const before = earlier?.cursor;
    if (before !== undefined && (feed.cursor === undefined || feed.cursor < before)) {
      this.violations.push(
        `a cursor never goes back: ${feed.id} went from ${before} to ${feed.cursor ?? 'none'}`,
      );
    }
    this.#feeds.set(feed.id, feed);
  }

  leased(owner: string, expiresAt: number): void {
    this.#leaseHolder = { owner, expiresAt };
  }

  released(owner: string): void {
    if (this.#leaseHolder?.owner === owner) this.#leaseHolder = undefined;
  }

  /** To be called when a run changes something. */
  changedBy(owner: string, now: number, what: string): void {
    const holder = this.#leaseHolder;
    if (holder?.owner === owner && holder.expiresAt >= now) return;
    this.violations.push(
      `two runs never work at once: ${owner} did ${what} while ${holder?.owner ?? 'nobody'} held the lease`,
    );
  }

  /** Notes that the lease was refused to a run that asked for it at this time. */
  refused(owner: string, now: number, longestMs: number): void {
    const left = (this.#leaseHolder?.expiresAt ?? 0) - now;
    if (left >= 0 && left <= longestMs) return;
    this.violations.push(
      `a dead run is replaced when its lease is over: ${owner} was refused it with ${left} ms left`,
    );
  }
}

function copyOf({ content, ...state }: EntityState): EntityState {
  const kept = structuredClone(content?.());
  return { ...structuredClone(state), ...(kept && { content: () => kept }) };
}
