import { FEED_PARTITIONS } from '../../core/model/feed.ts';
import type { Lease } from '../../core/ports/state-store.ts';
import { LEASE_KEY, number, text } from './items.ts';
import type { Table } from './table.ts';

/** Both are words that DynamoDB reserves. */
const NAMES = { '#owner': 'owner', '#until': 'until' };

const attributeOf = (partition: number): string => `p${partition}`;

/** Keeps the leases of all partitions in one item, an attribute each: one call takes several, or none. */
export class LeaseItems {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async take({ partitions, owner, until }: Lease, now: number): Promise<boolean> {
    const names = partitions.map(attributeOf);
    const isFree = (name: string): string =>
      `(attribute_not_exists(${name}) OR ${name}.#until < :now OR ${name}.#owner = :owner)`;
    const item = await this.#table.update(LEASE_KEY, {
      UpdateExpression: `SET ${names.map((name) => `${name} = :lease`).join(', ')}`,
      ConditionExpression: names.map(isFree).join(' AND '),
      ExpressionAttributeNames: NAMES,
      ExpressionAttributeValues: {
        ':now': number(now),
        ':owner': text(owner),
        ':lease': { M: { owner: text(owner), until: number(until) } },
      },
    });
    return item !== undefined;
  }

  async free({ partitions, owner }: Lease): Promise<void> {
    const names = partitions.map(attributeOf);
    await this.#table.update(LEASE_KEY, {
      UpdateExpression: `REMOVE ${names.join(', ')}`,
      ConditionExpression: names.map((name) => `${name}.#owner = :owner`).join(' AND '),
      ExpressionAttributeNames: { '#owner': NAMES['#owner'] },
      ExpressionAttributeValues: { ':owner': text(owner) },
    });
  }

  async loadTaken(now: number): Promise<ReadonlySet<number>> {
    const [item] = await this.#table.get([LEASE_KEY]);
    const partitions = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);
    const isTaken = (partition: number): boolean =>
      Number(item?.[attributeOf(partition)]?.M?.['until']?.N ?? -1) >= now;
    return new Set(partitions.filter(isTaken));
  }
}
