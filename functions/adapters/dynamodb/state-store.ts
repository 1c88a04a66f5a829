import type { PlacedCommand } from '../../core/model/command.ts';
import type { EntityKey, EntityState } from '../../core/model/entity-state.ts';
import { FeedConflictError } from '../../core/model/errors.ts';
import type { Feed } from '../../core/model/feed.ts';
import type { ReconcileReport } from '../../core/model/reconcile-report.ts';
import type {
  ChildVersion,
  Lease,
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
  isReport,
  number,
  OPERATORS_KEY,
  pollHistoryKey,
  reportIn,
  reportItem,
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

  async loadShard(partitions: readonly number[]): Promise<ShardView> {
    const items = await this.#itemsOf(partitions, false);
    return {
      feeds: items.filter(isFeed).map(feedIn),
      commands: commandsIn(items.filter(isCommand)),
      reports: items.filter(isReport).map(reportIn),
    };
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

  async loadCommands(partitions: readonly number[]): Promise<PlacedCommand[]> {
    const items = await this.#table.forEach(partitions, (partition) =>
      this.#table.query({ pk: feedsPk(partition), prefix: COMMANDS }),
    );
    return commandsIn(items.flat());
  }

  saveCommands(commands: readonly PlacedCommand[]): Promise<void> {
    const toWrite = (placed: PlacedCommand) => ({ PutRequest: { Item: commandItem(placed) } });
    return this.#table.write(commands, toWrite);
  }

  saveProgress(command: PlacedCommand): Promise<boolean> {
    return this.#table.put(commandItem(command), IS_PRESENT);
  }

  async saveReport(report: ReconcileReport): Promise<void> {
    await this.#table.put(reportItem(report), undefined);
  }

  deleteCommands(commands: readonly PlacedCommand[]): Promise<void> {
    return this.#table.deleteAll(commands.map(commandKey));
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
