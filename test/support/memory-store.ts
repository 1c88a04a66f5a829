import type { OperatedStore } from '../../functions/control/ports.ts';
import {
  decodeEvent,
  encodeEvent,
  type EntityKey,
  type EntityState,
} from '../../functions/core/model/entity-state.ts';
import type { JsonObject } from '../../functions/core/model/entity.ts';
import { FeedConflictError } from '../../functions/core/model/errors.ts';
import { feedPartition, type Feed } from '../../functions/core/model/feed.ts';
import { fieldDigests } from '../../functions/core/model/json/digest.ts';
import { parseJson } from '../../functions/core/model/json/json.ts';
import {
  type ChildVersion,
  type Lease,
  type StatesPage,
} from '../../functions/core/ports/state-store.ts';

type StoredState = Omit<EntityState, 'content'> & { readonly content?: JsonObject };

interface SavedState {
  readonly json: string;
  /** Undefined for a deleted entity, unless it is unpublished. */
  readonly child: ChildVersion | undefined;
}

const STATES_PER_PAGE = 3;
/** As DynamoDB has it. */
const MAX_ITEM_BYTES = 400 * 1024;

/** A state store in memory. It keeps JSON texts, so that nobody shares an object with it. */
export class MemoryStore implements OperatedStore {
  #isAllPaused = false;
  /** By partition. */
  readonly #leases = new Map<number, Lease>();
  /** By id. */
  readonly #feeds = new Map<string, { readonly partition: number; readonly json: string }>();
  /** By shard. */
  readonly #pollHistories = new Map<number, Uint8Array>();
  /** By feed id, then by entity key. */
  readonly #states = new Map<string, Map<EntityKey, SavedState>>();

  openTable(): Promise<void> {
    return Promise.resolve();
  }

  checkFormat(): Promise<void> {
    return Promise.resolve();
  }

  takeLease(lease: Lease, now: number): Promise<boolean> {
    const { partitions, owner } = lease;
    const isFree = (partition: number): boolean => {
      const taken = this.#leases.get(partition);
      return taken === undefined || taken.until < now || taken.owner === owner;
    };
    if (!partitions.every(isFree)) return Promise.resolve(false);
    for (const partition of partitions) this.#leases.set(partition, lease);
    return Promise.resolve(true);
  }

  freeLease({ partitions, owner }: Lease): Promise<void> {
    const isOwn = partitions.every((partition) => this.#leases.get(partition)?.owner === owner);
    if (isOwn) for (const partition of partitions) this.#leases.delete(partition);
    return Promise.resolve();
  }

  loadLeases(): Promise<ReadonlyMap<number, number>> {
    const ends = [...this.#leases].map(([partition, { until }]) => [partition, until] as const);
    return Promise.resolve(new Map(ends));
  }

  loadShard(partitions: readonly number[]): Promise<Feed[]> {
    return this.loadFeeds(partitions);
  }

  loadPollHistory(shard: number): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#pollHistories.get(shard)?.slice());
  }

  savePollHistory(shard: number, encoded: Uint8Array): Promise<void> {
    this.#pollHistories.set(shard, encoded.slice());
    return Promise.resolve();
  }

  loadFeeds(partitions: readonly number[]): Promise<Feed[]> {
    const wanted = new Set(partitions);
    const own = [...this.#feeds.values()].filter(({ partition }) => wanted.has(partition));
    return Promise.resolve(own.map(({ json }) => JSON.parse(json) as Feed));
  }

  loadFeedsById(feeds: readonly Pick<Feed, 'id'>[]): Promise<Map<string, Feed>> {
    const stored = feeds.flatMap(({ id }) => this.#feeds.get(id) ?? []);
    const found = stored.map(({ json }) => JSON.parse(json) as Feed);
    return Promise.resolve(new Map(found.map((feed) => [feed.id, feed])));
  }

  loadAllPaused(): Promise<boolean> {
    return Promise.resolve(this.#isAllPaused);
  }

  saveAllPaused(isPaused: boolean): Promise<void> {
    this.#isAllPaused = isPaused;
    return Promise.resolve();
  }

  addFeeds(feeds: readonly Feed[]): Promise<readonly string[]> {
    const existing: string[] = [];
    for (const feed of feeds) {
      if (this.#feeds.has(feed.id)) existing.push(feed.id);
      else this.#setFeed(feed);
    }
    return Promise.resolve(existing);
  }

  commitFeed(feed: Feed): Promise<Feed> {
    const stored = this.#feeds.get(feed.id);
    if (stored === undefined || (JSON.parse(stored.json) as Feed).revision !== feed.revision) {
      const message = `Feed ${feed.id} is no longer at revision ${feed.revision}.`;
      return Promise.reject(new FeedConflictError(message, { hint: 'Nothing needs to be done.' }));
    }
    const next: Feed = { ...feed, revision: feed.revision + 1 };
    this.#setFeed(next);
    return Promise.resolve(next);
  }

  #setFeed(feed: Feed): void {
    const partition = feedPartition(feed);
    this.#feeds.set(feed.id, { partition, json: JSON.stringify(feed) });
  }

  /** Deletes the state of an entity behind its back. @returns whether there was one. */
  lose(feedId: string, key: EntityKey): boolean {
    return this.#states.get(feedId)?.delete(key) ?? false;
  }

  /**
   * Deletes the states that have expired, as a table does at some moment after their time.
   *
   * @param now milliseconds since 1970.
   * @returns their feeds and keys.
   */
  expire(now: number): { readonly feedId: string; readonly key: EntityKey }[] {
    const expired = [...this.#states].flatMap(([feedId, states]) =>
      [...states]
        .filter(([, { json }]) => (decode(json).expiresAt ?? Infinity) <= now)
        .map(([key]) => ({ feedId, key })),
    );
    for (const { feedId, key } of expired) this.lose(feedId, key);
    return expired;
  }

  loadStates(feedId: string, keys: readonly EntityKey[]): Promise<Map<EntityKey, EntityState>> {
    const found = new Map<EntityKey, EntityState>();
    for (const key of keys) {
      const saved = this.#states.get(feedId)?.get(key);
      if (saved === undefined) continue;
      const { expiresAt: _, ...state } = decode(saved.json);
      found.set(key, state);
    }
    return Promise.resolve(found);
  }

  /** Shows a few states at a time. */
  async loadStatesAfter(feedId: string, after = ''): Promise<StatesPage> {
    const keys = [...(this.#states.get(feedId)?.keys() ?? [])].sort().filter((key) => key > after);
    const some = keys.slice(0, STATES_PER_PAGE);
    const states = [...(await this.loadStates(feedId, some)).values()];
    const next = keys.length > some.length ? some.at(-1) : undefined;
    return { states, ...(next !== undefined && { next }) };
  }

  loadLiveChildren(feedId: string, prefix: string): Promise<ChildVersion[]> {
    const entities = [...(this.#states.get(feedId) ?? [])];
    return Promise.resolve(
      entities.flatMap(([key, { child }]) =>
        child && key.startsWith(prefix) ? [{ ...child }] : [],
      ),
    );
  }

  async *liveVersions(feedId: string, prefix: string): AsyncGenerator<ChildVersion[]> {
    const live = await this.loadLiveChildren(feedId, prefix);
    for (const each of live.toSorted((a, b) => (a.key < b.key ? -1 : 1))) yield [each];
  }

  saveStates(feedId: string, states: readonly EntityState[]): Promise<void> {
    const entities = this.#states.get(feedId) ?? new Map<EntityKey, SavedState>();
    this.#states.set(feedId, entities);
    for (const entity of states)
      entities.set(entity.key, { json: encode(entity), child: childOf(entity) });
    return Promise.resolve();
  }
}

/** The first form that fits: each loses more than the one before. */
function encode({ content: read, ...state }: EntityState): string {
  const content = read?.();
  const whole = JSON.stringify({ ...state, content });
  if (isSmall(whole)) return whole;
  const { digests: own, event, unpublished, ...frame } = state;
  const digests = content === undefined ? own : fieldDigests(content);
  // Only a replay needs a published event.
  const last = unpublished && event;
  const { action } = (last === undefined ? undefined : decodeEvent(last)) ?? {};
  const short = { ...frame, ...(unpublished && { unpublished: {} }) };
  const forms = [
    { ...short, digests: own, event: last, content },
    { ...short, digests, event: last },
    { ...short, event: last },
  ].map((form) => JSON.stringify(form));
  // The smallest form always fits into a table's item.
  const smallest = JSON.stringify({ ...short, event: action && encodeEvent({ action }) });
  return forms.find(isSmall) ?? smallest;
}

function isSmall(json: string): boolean {
  return Buffer.byteLength(json) <= MAX_ITEM_BYTES;
}

function childOf({ key, version, deleted, unpublished }: EntityState): ChildVersion | undefined {
  const isUnpublished = unpublished !== undefined;
  return deleted && !isUnpublished ? undefined : { key, version, isUnpublished };
}

function decode(json: string): EntityState {
  const { content, ...state } = parseJson(json) as StoredState;
  const read = () => (parseJson(json) as Required<StoredState>).content;
  return content === undefined ? state : { ...state, content: read };
}
