import type { PlacedCommand } from '../../core/model/command.ts';
import type { EntityKey, EntityState } from '../../core/model/entity-state.ts';
import { FeedConflictError } from '../../core/model/errors.ts';
import type { Feed } from '../../core/model/feed.ts';
import type { ProjectOrder } from '../../core/model/project-state.ts';
import type { ReconcileReport } from '../../core/model/reconcile-report.ts';
import type { LeaseGuard } from '../../core/ports/lease-guard.ts';
import type {
  AcquiredLease,
  ChildVersion,
  Lease,
  ShardLayout,
  ShardView,
  StatesPage,
  StateStore,
} from '../../core/ports/state-store.ts';
import { IS_ABSENT, IS_PRESENT } from './condition.ts';
import {
  commandsIn,
  commandItem,
  commandKey,
  COMMANDS,
  feedIn,
  feedItem,
  feedKey,
  feedsPk,
  isCommand,
  isFeed,
  isOrder,
  isPollHistoryOf,
  isReport,
  number,
  OPERATORS_KEY,
  orderIn,
  orderKey,
  ORDERS,
  orderTexts,
  pollHistoryKey,
  reportIn,
  reportItem,
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
export class DynamoDbStore implements StateStore {
  readonly #table: Table;
  readonly #leases: LeaseItems;
  readonly #states: StateItems;
  #isOpen = false;

  constructor(options: TableOptions) {
    this.#table = new Table(options);
    this.#leases = new LeaseItems(this.#table);
    this.#states = new StateItems(this.#table);
  }

  async openTable(guard?: LeaseGuard): Promise<void> {
    if (this.#isOpen) return;
    await openTable(this.#table, guard);
    this.#isOpen = true;
  }

  async checkFormat(): Promise<void> {
    await checkFormat(this.#table);
  }

  loadLayout(shardCount: number): Promise<ShardLayout> {
    return this.#leases.loadLayout(shardCount);
  }

  saveLayout(layout: ShardLayout, generation: number): Promise<boolean> {
    return this.#leases.saveLayout(layout, generation);
  }

  closeLease(lease: Lease, now: number): Promise<AcquiredLease | undefined> {
    return this.#leases.close(lease, now);
  }

  acquireLease(lease: Lease, now: number): Promise<AcquiredLease | undefined> {
    return this.#leases.acquire(lease, now);
  }

  loadLease(shard: string): Promise<Lease | undefined> {
    return this.#leases.load(shard);
  }

  renewLease(lease: Lease): Promise<void> {
    return this.#leases.renew(lease);
  }

  releaseLease(lease: Lease): Promise<void> {
    return this.#leases.release(lease);
  }

  async loadShard(partitions: readonly number[]): Promise<ShardView> {
    const items = await this.#itemsOf(partitions, false);
    const pollHistory = joinParts(items.filter((item) => isPollHistoryOf(partitions, item)));
    return {
      feeds: items.filter(isFeed).map(feedIn),
      orders: items.filter(isOrder).map(orderIn),
      commands: commandsIn(items.filter(isCommand)),
      reports: items.filter(isReport).map(reportIn),
      ...(pollHistory && { pollHistory }),
    };
  }

  async savePollHistory(
    partitions: readonly number[],
    encoded: Uint8Array,
    guard?: LeaseGuard,
  ): Promise<void> {
    await this.#table.forEach([...pollHistoryParts(encoded).entries()], ([n, part]) =>
      this.#table.put({ ...pollHistoryKey(partitions, n), ...part }, undefined, guard),
    );
  }

  async loadFeeds(partitions: readonly number[]): Promise<Feed[]> {
    return (await this.#itemsOf(partitions, true)).filter(isFeed).map(feedIn);
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

  async loadOrders(partitions: readonly number[]): Promise<ProjectOrder[]> {
    const items = await this.#table.forEach(partitions, (partition) =>
      this.#table.query({ pk: feedsPk(partition), prefix: ORDERS }),
    );
    return items.flat().map(orderIn);
  }

  async saveOrders(orders: readonly ProjectOrder[], guard?: LeaseGuard): Promise<void> {
    await this.#table.forEach(orders, (order) => {
      const { x, b } = orderTexts(order);
      const update = {
        UpdateExpression: `SET x = :x${b ? ', b = if_not_exists(b, :b)' : ''}`,
        ExpressionAttributeValues: { ':x': x, ...(b && { ':b': b }) },
      };
      return this.#table.update(orderKey(order), update, guard);
    });
  }

  async deleteOrders(orders: readonly ProjectOrder[], guard?: LeaseGuard): Promise<void> {
    await this.#table.forEach(orders, (order) => {
      const { x, b } = orderTexts(order);
      const isSame = {
        ConditionExpression: `x = :x AND ${b ? 'b = :b' : 'attribute_not_exists(b)'}`,
        ExpressionAttributeValues: { ':x': x, ...(b && { ':b': b }) },
      };
      return this.#table.delete(orderKey(order), isSame, guard);
    });
  }

  async loadCommands(partitions: readonly number[]): Promise<PlacedCommand[]> {
    const items = await this.#table.forEach(partitions, (partition) =>
      this.#table.query({ pk: feedsPk(partition), prefix: COMMANDS }),
    );
    return commandsIn(items.flat());
  }

  saveCommands(commands: readonly PlacedCommand[], guard?: LeaseGuard): Promise<void> {
    const toWrite = (placed: PlacedCommand) => ({ PutRequest: { Item: commandItem(placed) } });
    return this.#table.write(commands, toWrite, guard);
  }

  saveProgress(command: PlacedCommand, guard?: LeaseGuard): Promise<boolean> {
    return this.#table.put(commandItem(command), IS_PRESENT, guard);
  }

  async saveReport(report: ReconcileReport, guard?: LeaseGuard): Promise<void> {
    await this.#table.put(reportItem(report), undefined, guard);
  }

  deleteCommands(commands: readonly PlacedCommand[], guard?: LeaseGuard): Promise<void> {
    return this.#table.deleteAll(commands.map(commandKey), guard);
  }

  async addFeeds(feeds: readonly Feed[], guard?: LeaseGuard): Promise<readonly string[]> {
    const existing = await this.#table.forEach(feeds, async (feed) =>
      (await this.#table.put(feedItem(feed), IS_ABSENT, guard)) ? [] : [feed.id],
    );
    return existing.flat();
  }

  async commitFeed(feed: Feed, guard?: LeaseGuard): Promise<Feed> {
    const next: Feed = { ...feed, revision: feed.revision + 1 };
    const isCommitted = await this.#table.put(
      feedItem(next),
      {
        ConditionExpression: 'r = :revision',
        ExpressionAttributeValues: { ':revision': number(feed.revision) },
      },
      guard,
    );
    if (isCommitted) return next;
    throw new FeedConflictError(
      `Feed ${feed.id} is no longer at revision ${feed.revision}: another run committed it, or it was removed.`,
      {
        hint: 'If it repeats, look for two pollers on one shard.',
      },
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

  saveStates(feedId: string, states: readonly EntityState[], guard?: LeaseGuard): Promise<void> {
    return this.#states.save(feedId, states, guard);
  }

  deleteStates(feedId: string, keys: readonly EntityKey[], guard?: LeaseGuard): Promise<void> {
    return this.#states.delete(feedId, keys, guard);
  }

  /** Items of partitions of feeds, those of one partition in the order of their sort keys. */
  async #itemsOf(partitions: readonly number[], isConsistent: boolean): Promise<Item[]> {
    const items = await this.#table.forEach([...new Set(partitions)], (partition) =>
      this.#table.query({ pk: feedsPk(partition), isConsistent }),
    );
    return items.flat();
  }
}
