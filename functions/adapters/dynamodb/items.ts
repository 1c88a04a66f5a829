import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { EntityKey, EntityState } from '../../core/model/entity-state.ts';
import { feedPartition, type Feed } from '../../core/model/feed.ts';
import type { ChildVersion } from '../../core/ports/state-store.ts';
import {
  stateFromRecord,
  stateToRecord,
  type EntityStateRecord,
  type StoredJson,
} from './entity-state-record.ts';
import { feedFromRecord, feedToRecord, type FeedRecord } from './feed-record.ts';

/**
 * An item, or the key of one.
 *
 * | Item         | `pk`              | `sk`           | Attributes                                            |
 * |--------------|-------------------|----------------|-------------------------------------------------------|
 * | format       | `table`           | `format`       | `v`: format version of the table                      |
 * | lease        | `table`           | `lease`        | `p0` … `p15`: by partition, the `owner` and the time `until` which it is taken |
 * | feed         | `feeds#<00…15>`   | feed id        | {@link FeedRecord}                                    |
 * | operators    | `operators`       | `all`          | `paused`: whether all lists are                       |
 * | poll history | `shard#<n>`       | `history<nn>`  | {@link PollHistoryPart}                               |
 * | entity state | `state#<feed id>` | entity key     | {@link EntityStateRecord}                             |
 * | quarantine   | `quarantine`      | path of the entity | see `quarantine.ts` |
 * | webhook      | `webhook#<name>`  | `state`        | `f`: failing since; `d`: disabled; `b`: by what |
 * | attempts     | `webhook#<name>`  | `attempts#<time>#<mark>` | `x`: JSON of one invocation's; `z`: expires |
 *
 * `w` of an item: the mark of its last conditional put.
 *
 * A change to this layout raises `TABLE_FORMAT`, see `docs/table.md`.
 */
export type Item = Record<string, AttributeValue>;

export const text = (value: string): AttributeValue.SMember => ({ S: value });
export const number = (value: number): AttributeValue.NMember => ({ N: String(value) });

export const FORMAT_KEY: Item = { pk: text('table'), sk: text('format') };

export const LEASE_KEY: Item = { pk: text('table'), sk: text('lease') };

/** What operators have ordered for all lists. */
export const OPERATORS_KEY: Item = { pk: text('operators'), sk: text('all') };

/** Partition key of the poll history of a shard. */
export const shardPk = (shard: number): string => `shard#${shard}`;

export const pollHistoryKey = (shard: number, part: number): Item => ({
  pk: text(shardPk(shard)),
  sk: text(`history${String(part).padStart(2, '0')}`),
});

/** Partition key of the feeds with this number from {@link feedPartition}. */
export const feedsPk = (partition: number): string => `feeds#${String(partition).padStart(2, '0')}`;

/** Partition key of the entity states of a feed. */
export const statesPk = (feedId: string): string => `state#${feedId}`;

export const stateKey = (feedId: string, key: EntityKey): Item => ({
  pk: text(statesPk(feedId)),
  sk: text(key),
});

export const feedKey = (feed: Pick<Feed, 'id' | 'projectId'>): Item => ({
  pk: text(feedsPk(feedPartition(feed))),
  sk: text(feed.id),
});

export function feedItem(feed: Feed): Item {
  return { ...feedKey(feed), ...toAttributes(feedToRecord(feed)) };
}

export function feedIn(item: Item): Feed {
  return feedFromRecord(sortKey(item), fromAttributes(item) as unknown as FeedRecord);
}

/** The item of an entity state, reduced to DynamoDB's maximum item size. */
export function stateItem(feedId: string, state: EntityState): Item {
  const keyBytes = Buffer.byteLength(`pk${statesPk(feedId)}sk${state.key}`);
  return { ...stateKey(feedId, state.key), ...toAttributes(stateToRecord(state, keyBytes)) };
}

export function stateIn(item: Item): EntityState {
  return stateFromRecord(sortKey(item), fromAttributes(item) as unknown as EntityStateRecord);
}

/** Selects items that are not deleted or unpublished, and what {@link childIn} reads of them. */
export const LIVE_CHILDREN = {
  filter: 'attribute_not_exists(d) OR attribute_exists(u)',
  attributes: ['sk', 'v', 'u'],
} as const;

export function childIn(item: Item): ChildVersion {
  const version = item['v']?.S ?? '';
  return { key: sortKey(item), version, isUnpublished: item['u'] !== undefined };
}

export const sortKey = (item: Item): string => item['sk']?.S ?? '';

type StoredValue = StoredJson | number | boolean;

function toAttributes(record: FeedRecord | EntityStateRecord): Item {
  const attribute = (value: StoredValue): AttributeValue => {
    if (typeof value === 'string') return { S: value };
    if (typeof value === 'number') return { N: String(value) };
    return typeof value === 'boolean' ? { BOOL: value } : { B: value };
  };
  const values = Object.entries(record) as [string, StoredValue][];
  return Object.fromEntries(values.map(([name, value]) => [name, attribute(value)]));
}

function fromAttributes(item: Item): Record<string, StoredValue | undefined> {
  const value = ({ S, N, BOOL, B }: AttributeValue): StoredValue | undefined =>
    N === undefined ? (S ?? BOOL ?? B) : Number(N);
  return Object.fromEntries(Object.entries(item).map(([name, stored]) => [name, value(stored)]));
}
