import type { EntityKey, EntityState } from '../../core/model/entity-state.ts';
import { FeedConflictError, LeaseLostError } from '../../core/model/errors.ts';
import type { Feed } from '../../core/model/feed.ts';
import type { ProjectOrder } from '../../core/model/project-state.ts';
import type { LeaseGuard } from '../../core/ports/lease-guard.ts';
import {
  MAX_CLOCK_DIFFERENCE_MS,
  type AcquiredLease,
  type ChildVersion,
  type Lease,
  type ShardLayout,
  type ShardView,
  type StateStore,
} from '../../core/ports/state-store.ts';
import type { Telemetry } from '../../core/ports/telemetry.ts';
import {
  childIn,
  feedIn,
  feedKey,
  feedItem,
  feedsPk,
  isFeed,
  isOrder,
  isPollHistoryOf,
  LAYOUT_KEY,
  layoutIn,
  layoutItem,
  leaseKey,
  LIVE_CHILDREN,
  number,
  orderIn,
  orderKey,
  ORDERS,
  orderTexts,
  pollHistoryKey,
  stateIn,
  stateItem,
  stateKey,
  statesPk,
  text,
  type Item,
} from './items.ts';
import { joinParts, pollHistoryParts } from './poll-history-record.ts';
import { openTable } from './table-format.ts';
import { IS_ABSENT, Table, type TableOptions } from './table.ts';

/** The condition that a lease was released, has expired or is void, with the {@link timesOf} it. */
const HAS_ENDED = 'u < :now OR u > :void';

const timesOf = ({ expiresAt }: Lease, now: number): Item => ({
  ':now': number(now),
  ':void': number(expiresAt + MAX_CLOCK_DIFFERENCE_MS),
});

/**
 * Keeps feeds, entity states and leases in one DynamoDB table, laid out in `items.ts`.
 *
 * All reads but {@link loadShard} are strongly consistent. Errors of the SDK pass through, except
 * failed conditions.
 */
export class DynamoDbStore implements StateStore {
  readonly #table: Table;
  readonly #telemetry: Pick<Telemetry, 'info' | 'warn'> | undefined;
  #isOpen = false;
  /** As last read, until a lease was refused: it may have been closed. */
  #layout: ShardLayout | undefined;

  /** @param options.telemetry for a migration's log lines. */
  constructor(options: TableOptions & { readonly telemetry?: Pick<Telemetry, 'info' | 'warn'> }) {
    this.#table = new Table(options);
    this.#telemetry = options.telemetry;
  }

  async openTable(guard?: LeaseGuard): Promise<void> {
    if (this.#isOpen) return;
    await openTable(this.#table, { guard, telemetry: this.#telemetry });
    this.#isOpen = true;
  }

  async loadLayout(shardCount: number): Promise<ShardLayout> {
    if (this.#layout?.shardCount === shardCount && !this.#layout.isClosing) return this.#layout;
    const [item] = await this.#table.get([LAYOUT_KEY]);
    return (this.#layout = layoutIn(item));
  }

  async saveLayout(layout: ShardLayout, generation: number): Promise<boolean> {
    const isFirst = generation === 0 ? 'attribute_not_exists(pk) OR ' : '';
    this.#layout = undefined;
    return this.#table.put(layoutItem(layout), {
      ConditionExpression: `${isFirst}g = :generation`,
      ExpressionAttributeValues: { ':generation': number(generation) },
    });
  }

  async closeLease(lease: Lease, now: number): Promise<boolean> {
    const closed = { BOOL: true };
    const ended = await this.#table.update(leaseKey(lease), {
      UpdateExpression: 'SET c = :closed, u = :never REMOVE o',
      ConditionExpression: `attribute_not_exists(o) OR ${HAS_ENDED}`,
      ExpressionAttributeValues: { ...timesOf(lease, now), ':never': number(0), ':closed': closed },
    });
    if (ended !== undefined) return true;
    await this.#table.update(leaseKey(lease), {
      UpdateExpression: 'SET c = :closed',
      ExpressionAttributeValues: { ':closed': closed },
    });
    return false;
  }

  async acquireLease(lease: Lease, now: number): Promise<AcquiredLease | undefined> {
    const { owner, expiresAt } = lease;
    const item = await this.#table.update(leaseKey(lease), {
      UpdateExpression: 'SET o = :owner, u = :until',
      ConditionExpression: `attribute_not_exists(c) AND (attribute_not_exists(pk) OR ${HAS_ENDED} OR o = :owner)`,
      ExpressionAttributeValues: {
        ...timesOf(lease, now),
        ':owner': text(owner),
        ':until': number(expiresAt),
      },
    });
    if (item === undefined) {
      this.#layout = undefined;
      return undefined;
    }
    const note = item['q']?.S;
    return { ...(note !== undefined && { note }) };
  }

  async renewLease(lease: Lease): Promise<void> {
    const isRenewed = await this.#setLease(lease, 'u = :until', {
      ':until': number(lease.expiresAt),
    });
    if (isRenewed) return;
    throw new LeaseLostError(
      `Run ${lease.owner} no longer holds the lease on shard ${lease.shard}.`,
      { hint: 'Another run took over and continues from the last checkpoint. Do nothing.' },
    );
  }

  async releaseLease(lease: Lease): Promise<void> {
    // Not deleted: its note is for the next run.
    await this.#setLease(lease, 'u = :never', { ':never': number(0) }, ' REMOVE o');
  }

  /** @returns false when the lease is not the owner's. */
  async #setLease(lease: Lease, changes: string, values: Item, removal = ''): Promise<boolean> {
    const { owner, note } = lease;
    const item = await this.#table.update(leaseKey(lease), {
      UpdateExpression: `SET ${changes}${note === undefined ? '' : ', q = :note'}${removal}`,
      ConditionExpression: 'o = :owner',
      ExpressionAttributeValues: {
        ...values,
        ':owner': text(owner),
        ...(note !== undefined && { ':note': text(note) }),
      },
    });
    return item !== undefined;
  }

  async loadShard(partitions: readonly number[]): Promise<ShardView> {
    const items = await this.#itemsOf(partitions, false);
    const pollHistory = joinParts(items.filter((item) => isPollHistoryOf(partitions, item)));
    return {
      feeds: items.filter(isFeed).map(feedIn),
      orders: items.filter(isOrder).map(orderIn),
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
      const values = { ':x': orderTexts(order).x };
      const isSame = { ConditionExpression: 'x = :x', ExpressionAttributeValues: values };
      return this.#table.delete(orderKey(order), isSame, guard);
    });
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
        hint: 'The next run continues from the stored feed. If it repeats, look for two pollers on one shard.',
      },
    );
  }

  async removeFeed(feed: Feed, guard?: LeaseGuard): Promise<void> {
    const states = { pk: statesPk(feed.id), attributes: ['pk', 'sk'] };
    for await (const keys of this.#table.pages(states, guard))
      await this.#table.deleteAll(keys, guard);
    await this.#table.deleteAll([feedKey(feed)], guard);
  }

  async loadStates(
    feedId: string,
    keys: readonly EntityKey[],
  ): Promise<Map<EntityKey, EntityState>> {
    const items = await this.#table.get([...new Set(keys)].map((key) => stateKey(feedId, key)));
    return new Map(items.map(stateIn).map((state) => [state.key, state]));
  }

  async loadLiveChildren(feedId: string, prefix: string): Promise<ChildVersion[]> {
    const live: ChildVersion[] = [];
    // As one of the table's calls, since a page may have a thousand lists.
    await this.#table.forEach(
      [{ pk: statesPk(feedId), prefix, ...LIVE_CHILDREN }],
      async (query) => {
        for await (const items of this.#table.pages(query)) live.push(...items.map(childIn));
      },
    );
    return live;
  }

  async saveStates(
    feedId: string,
    states: readonly EntityState[],
    guard?: LeaseGuard,
  ): Promise<void> {
    // A batch must not name a key twice; the last state of a key counts.
    const byKey = new Map(states.map((state) => [state.key, state]));
    await this.#table.write(
      [...byKey.values()],
      (state) => ({ PutRequest: { Item: stateItem(feedId, state) } }),
      guard,
    );
  }

  /** Items of partitions of feeds, those of one partition in the order of their sort keys. */
  async #itemsOf(partitions: readonly number[], isConsistent: boolean): Promise<Item[]> {
    const items = await this.#table.forEach([...new Set(partitions)], (partition) =>
      this.#table.query({ pk: feedsPk(partition), isConsistent }),
    );
    return items.flat();
  }
}
