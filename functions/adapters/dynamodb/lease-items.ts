import { LeaseLostError } from '../../core/model/errors.ts';
import {
  MAX_CLOCK_DIFFERENCE_MS,
  type AcquiredLease,
  type Lease,
  type ShardLayout,
} from '../../core/ports/state-store.ts';
import { LAYOUT_KEY, layoutIn, layoutItem, leaseKey, number, text, type Item } from './items.ts';
import type { Table } from './table.ts';

/** The condition that a lease was released, has expired or is void, with the {@link timesOf} it. */
const HAS_ENDED = 'u < :now OR u > :void';

const timesOf = ({ expiresAt }: Lease, now: number): Item => ({
  ':now': number(now),
  ':void': number(expiresAt + MAX_CLOCK_DIFFERENCE_MS),
});

/** Keeps the leases of shards and their layout, see {@link StateStore}. */
export class LeaseItems {
  readonly #table: Table;
  /** As last read, until a lease was refused: it may have been closed. */
  #layout: ShardLayout | undefined;

  constructor(table: Table) {
    this.#table = table;
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

  async close(lease: Lease, now: number): Promise<AcquiredLease | undefined> {
    const closed = { BOOL: true };
    const ended = await this.#table.update(leaseKey(lease), {
      UpdateExpression: 'SET c = :closed, u = :never REMOVE o',
      ConditionExpression: `attribute_not_exists(o) OR ${HAS_ENDED}`,
      ExpressionAttributeValues: { ...timesOf(lease, now), ':never': number(0), ':closed': closed },
    });
    if (ended !== undefined) return noteIn(ended);
    await this.#table.update(leaseKey(lease), {
      UpdateExpression: 'SET c = :closed',
      ExpressionAttributeValues: { ':closed': closed },
    });
    return undefined;
  }

  async acquire(lease: Lease, now: number): Promise<AcquiredLease | undefined> {
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
    return noteIn(item);
  }

  async load(shard: string): Promise<Lease | undefined> {
    const [item] = await this.#table.get([leaseKey({ shard })]);
    if (item === undefined) return undefined;
    const { o, u } = item;
    return { shard, owner: o?.S ?? '', expiresAt: Number(u?.N ?? 0), ...noteIn(item) };
  }

  async renew(lease: Lease): Promise<void> {
    const isRenewed = await this.#setLease(lease, 'u = :until', {
      ':until': number(lease.expiresAt),
    });
    if (isRenewed) return;
    throw new LeaseLostError(
      `Run ${lease.owner} no longer holds the lease on shard ${lease.shard}.`,
      { hint: 'Do nothing: another run continues from the last checkpoint.' },
    );
  }

  async release(lease: Lease): Promise<void> {
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
}

function noteIn(item: Item): AcquiredLease {
  const note = item['q']?.S;
  return { ...(note !== undefined && { note }) };
}
