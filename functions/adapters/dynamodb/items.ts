import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { feedPartition, type Feed } from '../../core/model/feed.ts';
import type { EntityKey, EntityState } from '../../core/model/entity-state.ts';
import { feedFromRecord, feedToRecord, type FeedRecord } from './feed-record.ts';
import {
  stateFromRecord,
  stateToRecord,
  type EntityStateRecord,
  type StoredJson,
} from './entity-state-record.ts';
import { type Lease } from '../../core/ports/state-store.ts';

/**
 * An item, or the key of one.
 *
 * | Item  | `pk`              | `sk`       | Attributes                                         |
 * |-------|-------------------|------------|----------------------------------------------------|
 * | feed  | `feeds#<00…15>`   | feed id    | {@link FeedRecord}; `w`: mark of the last commit   |
 * | known | `known#<feed id>` | entity key | {@link EntityStateRecord}                                |
 * | plan  | `feeds#<00…15>`   | `!plan<nn>`| {@link PollHistoryPart}                                   |
 * | lease | `shard#<name>`    | `lease`    | `o`: owner; `u`: until, in milliseconds since 1970 |
 */
export type Item = Record<string, AttributeValue>;

/** A string attribute. */
export const text = (value: string): AttributeValue.SMember => ({ S: value });
/** A number attribute. */
export const number = (value: number): AttributeValue.NMember => ({ N: String(value) });

/** Sort keys of what lies beside feeds and is none start with it; ids of feeds never do. */
const NO_FEED = '!';

/** Whether an item of a partition of feeds is one. */
export const isFeed = (item: Item): boolean => !sortKey(item).startsWith(NO_FEED);

/** Key of a part of what the planner of some partitions remembers: beside the feeds of the first. */
export const pollHistoryKey = (partitions: readonly number[], part: number): Item => ({
  pk: text(feedsPk(partitions[0] ?? 0)),
  sk: text(`${NO_FEED}plan${String(part).padStart(2, '0')}`),
});

/** Whether an item is a part of what the planner of these partitions remembers. */
export const isPollHistoryOf = (partitions: readonly number[], item: Item): boolean =>
  !isFeed(item) && item['pk']?.S === feedsPk(partitions[0] ?? 0);

/** Key of a shard's lease. */
export const leaseKey = ({ shard }: Lease): Item => ({
  pk: text(`shard#${shard}`),
  sk: text('lease'),
});

/** Partition key of the feeds with this number from {@link feedPartition}. */
export const feedsPk = (partition: number): string => `feeds#${String(partition).padStart(2, '0')}`;

/** Partition key of all that is known of a feed. */
export const statesPk = (feedId: string): string => `known#${feedId}`;

/** Key of a known entity. */
export const stateKey = (feedId: string, key: EntityKey): Item => ({
  pk: text(statesPk(feedId)),
  sk: text(key),
});

/** The item of a feed. */
export function feedItem(feed: Feed): Item {
  const key = { pk: text(feedsPk(feedPartition(feed))), sk: text(feed.id) };
  return { ...key, ...toAttributes(feedToRecord(feed)) };
}

/** The feed in an item. */
export function feedIn(item: Item): Feed {
  return feedFromRecord(sortKey(item), fromAttributes(item) as unknown as FeedRecord);
}

/** The item of a known entity, cut to what an item may hold. */
export function stateItem(feedId: string, known: EntityState): Item {
  const keyBytes = Buffer.byteLength(`pk${statesPk(feedId)}sk${known.key}`);
  return { ...stateKey(feedId, known.key), ...toAttributes(stateToRecord(known, keyBytes)) };
}

/** The known entity in an item. */
export function stateIn(item: Item): EntityState {
  return stateFromRecord(sortKey(item), fromAttributes(item) as unknown as EntityStateRecord);
}

const sortKey = (item: Item): string => item['sk']?.S ?? '';

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
  return Object.fromEntries(Object.entries(item).map(([name, held]) => [name, value(held)]));
}
