import type { OperatedStore } from '../../control/ports.ts';
import type { EntityKey, EntityState } from '../../core/model/entity-state.ts';
import { FeedConflictError } from '../../core/model/errors.ts';
import type { Feed } from '../../core/model/feed.ts';
import type { ChildVersion, Lease, StatesPage } from '../../core/ports/state-store.ts';
import { IS_ABSENT } from './condition.ts';
import {
  feedIn,
  feedItem,
  feedKey,
  feedsPk,
  number,
  OPERATORS_KEY,
  pollHistoryKey,
  shardPk,
  type Item,
} from './items.ts';
import { LeaseItems } from './lease-items.ts';
import { joinParts, pollHistoryParts } from './poll-history-record.ts';
import { StateItems } from './state-items.ts';
import { checkFormat, openTable } from './table-format.ts';
import { Table, type TableOptions } from './table.ts';

/**
 * Keeps feeds, entity states and leases in one DynamoDB table, laid out in `items.ts`.
 *
 * All reads but {@link loadShard} are strongly consistent. Errors of the SDK pass through, except
 * failed conditions.
 */
export class DynamoDbStore implements OperatedStore {
  readonly #table: Table;
  readonly #leases: LeaseItems;
  readonly #states: StateItems;
  #isOpen = false;

  constructor(options: TableOptions) {
    this.#table = new Table(options);
    this.#leases = new LeaseItems(this.#table);
    this.#states = new StateItems(this.#table);
  }

  async openTable(): Promise<void> {
    if (this.#isOpen) return;
    await openTable(this.#table);
    this.#isOpen = true;
  }

  async checkFormat(): Promise<void> {
    await checkFormat(this.#table);
  }

  takeLease(lease: Lease, now: number): Promise<boolean> {
    return this.#leases.take(lease, now);
  }

  freeLease(lease: Lease): Promise<void> {
    return this.#leases.free(lease);
  }

  loadTaken(now: number): Promise<ReadonlySet<number>> {
    return this.#leases.loadTaken(now);
  }

  async loadShard(partitions: readonly number[]): Promise<Feed[]> {
    return (await this.#itemsOf(partitions, false)).map(feedIn);
  }

  async loadPollHistory(shard: number): Promise<Uint8Array | undefined> {
    return joinParts(await this.#table.query({ pk: shardPk(shard) }));
  }

  async savePollHistory(shard: number, encoded: Uint8Array): Promise<void> {
    await this.#table.forEach([...pollHistoryParts(encoded).entries()], ([n, part]) =>
      this.#table.put({ ...pollHistoryKey(shard, n), ...part }),
    );
  }

  async loadFeeds(partitions: readonly number[]): Promise<Feed[]> {
    return (await this.#itemsOf(partitions, true)).map(feedIn);
  }

  async loadFeedsById(
    feeds: readonly Pick<Feed, 'id' | 'projectId'>[],
  ): Promise<Map<string, Feed>> {
    const items = await this.#table.get(feeds.map(feedKey));
    return new Map(items.map(feedIn).map((feed) => [feed.id, feed]));
  }

  async loadAllPaused(): Promise<boolean> {
    const [item] = await this.#table.get([OPERATORS_KEY]);
    return item?.['paused']?.BOOL === true;
  }

  async saveAllPaused(isPaused: boolean): Promise<void> {
    await this.#table.put({ ...OPERATORS_KEY, paused: { BOOL: isPaused } });
  }

  async addFeeds(feeds: readonly Feed[]): Promise<readonly string[]> {
    const existing = await this.#table.forEach(feeds, async (feed) =>
      (await this.#table.put(feedItem(feed), IS_ABSENT)) ? [] : [feed.id],
    );
    return existing.flat();
  }

  async commitFeed(feed: Feed): Promise<Feed> {
    const next: Feed = { ...feed, revision: feed.revision + 1 };
    const isCommitted = await this.#table.put(feedItem(next), {
      ConditionExpression: 'r = :revision',
      ExpressionAttributeValues: { ':revision': number(feed.revision) },
    });
    if (isCommitted) return next;
    throw new FeedConflictError(
      `Feed ${feed.id} is no longer at revision ${feed.revision}: it was written since, or removed.`,
      { hint: 'The next run reads the list again.' },
    );
  }

  loadStates(feedId: string, keys: readonly EntityKey[]): Promise<Map<EntityKey, EntityState>> {
    return this.#states.load(feedId, keys);
  }

  loadStatesAfter(feedId: string, after?: EntityKey): Promise<StatesPage> {
    return this.#states.loadAfter(feedId, after);
  }

  loadLiveChildren(feedId: string, prefix: string): Promise<ChildVersion[]> {
    return this.#states.loadLiveChildren(feedId, prefix);
  }

  liveVersions(feedId: string, prefix: string): AsyncIterable<readonly ChildVersion[]> {
    return this.#states.liveVersions(feedId, prefix);
  }

  saveStates(feedId: string, states: readonly EntityState[]): Promise<void> {
    return this.#states.save(feedId, states);
  }

  /** Items of partitions of feeds, those of one partition in the order of their sort keys. */
  async #itemsOf(partitions: readonly number[], isConsistent: boolean): Promise<Item[]> {
    const items = await this.#table.forEach([...new Set(partitions)], (partition) =>
      this.#table.query({ pk: feedsPk(partition), isConsistent }),
    );
    return items.flat();
  }
}
