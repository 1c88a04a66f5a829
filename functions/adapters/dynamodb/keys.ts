import type { Row } from './attributes.ts';

/**
 * The key of an item.
 *
 * | Item         | `pk`             | `sk`                     | Attributes                 |
 * |--------------|------------------|--------------------------|----------------------------|
 * | format       | `table`          | `format`                 | `v`: format of the table   |
 * | lease        | `table`          | `lease`                  | `lease.ts`                 |
 * | feed         | `feeds#<00…15>`  | feed id                  | `feeds.ts`                 |
 * | operators    | `operators`      | `all`                    | `paused`: whether all are  |
 * | poll history | `shard#<n>`      | `history<nn>`            | `poll-history.ts`          |
 * | entity state | `state#<feed>`   | entity key               | `entity-state-record.ts`   |
 * | quarantine   | `quarantine`     | path of the entity       | `quarantine.ts`            |
 * | webhook      | `webhook#<name>` | `state`                  | `webhooks.ts`              |
 * | attempts     | `webhook#<name>` | `attempts#<time>#<mark>` | `webhooks.ts`              |
 *
 * Any item may have `mark`, see {@link Table.put}, and `z`, at which the table may delete it, in
 * seconds since 1970. A change to this layout raises `TABLE_FORMAT`, see `README.md`.
 */
export interface Key extends Row {
  readonly pk: string;
  readonly sk: string;
}

export const FORMAT_KEY: Key = { pk: 'table', sk: 'format' };
export const LEASE_KEY: Key = { pk: 'table', sk: 'lease' };
export const OPERATORS_KEY: Key = { pk: 'operators', sk: 'all' };

export const sortKeyOf = (row: Row): string => row['sk'] as string;

export const twoDigits = (number: number): string => String(number).padStart(2, '0');
