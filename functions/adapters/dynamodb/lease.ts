import type { OperatedStore } from '../../control/ports.ts';
import { FEED_PARTITIONS } from '../../core/model/feed.ts';
import { LEASE_KEY } from './keys.ts';
import type { Table } from './table.ts';

/** Both are words that DynamoDB reserves. */
const NAMES = { '#owner': 'owner', '#until': 'until' };

const attributeOf = (partition: number): string => `p${partition}`;

/**
 * Keeps the leases of all partitions in one item: `p0` … `p15`, each with its `owner` and the time
 * `until` which it is taken. One call takes several partitions, or none.
 */
export function makeLeaseStore(table: Table) {
  return {
    async takeLease({ partitions, owner, until }, now) {
      const names = partitions.map(attributeOf);
      const isFree = (name: string): string =>
        `(attribute_not_exists(${name}) OR ${name}.#until < :now OR ${name}.#owner = :owner)`;
      const row = await table.update(LEASE_KEY, {
        update: `SET ${names.map((name) => `${name} = :lease`).join(', ')}`,
        if: names.map(isFree).join(' AND '),
        names: NAMES,
        values: { ':now': now, ':owner': owner, ':lease': { owner, until } },
      });
      return row !== undefined;
    },

    async freeLease({ partitions, owner }) {
      const names = partitions.map(attributeOf);
      await table.update(LEASE_KEY, {
        update: `REMOVE ${names.join(', ')}`,
        if: names.map((name) => `${name}.#owner = :owner`).join(' AND '),
        names: { '#owner': 'owner' },
        values: { ':owner': owner },
      });
    },

    async loadLeases() {
      const [row = {}] = await table.get([LEASE_KEY]);
      const ends = Array.from({ length: FEED_PARTITIONS }, (_, partition) => {
        const lease = row[attributeOf(partition)] as { readonly until: number } | undefined;
        return [partition, lease?.until] as const;
      });
      return new Map(ends.filter((end): end is [number, number] => end[1] !== undefined));
    },
  } satisfies Partial<OperatedStore>;
}
