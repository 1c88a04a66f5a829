import { invalidKey } from '../../core/changes/invalid-entity.ts';
import type { ChangeEvent } from '../../core/contract/events.ts';
import type { Command, PlacedCommand, RefusedEventKey, Reread } from '../../core/model/command.ts';
import { entityKey, type EntityState } from '../../core/model/entity-state.ts';
import { feedPartition, type Feed } from '../../core/model/feed.ts';
import { compareTimestamps, toFixedWidth } from '../../core/model/timestamp.ts';
import type { QuarantineQueue, QueuedItem } from '../../core/ports/quarantine-queue.ts';
import type { QuarantinedItem } from '../../core/ports/quarantine.ts';
import type { StateStore } from '../../core/ports/state-store.ts';

/** What has items tried again. */
export interface RetryPlan {
  readonly accepted: readonly QueuedItem[];
  /** Those for which nothing can be done, and why. */
  readonly skipped: readonly { readonly item: QueuedItem; readonly reason: string }[];
  readonly commands: readonly PlacedCommand[];
}

interface PlanContext {
  readonly queue: Pick<QuarantineQueue, 'readCopy'>;
  readonly store: Pick<StateStore, 'loadStates'>;
  /** All feeds of the account. */
  readonly feeds: readonly Feed[];
  readonly commandId: string;
}

/**
 * Plans how items are tried again, the way everything goes: the lists of invalid entities are read again from the
 * pages that showed them, and refused events are told again from the states of their entities.
 */
export async function planRetry(
  items: readonly QueuedItem[],
  { queue, store, feeds, commandId }: PlanContext,
): Promise<RetryPlan> {
  const known = new Set(feeds.map(({ id }) => id));
  const accepted: QueuedItem[] = [];
  const skipped: { item: QueuedItem; reason: string }[] = [];
  const reread = new Map<string, Reread>();
  const retell = new Map<string, RefusedEventKey[]>();
  for (const item of items) {
    const { feed, kind } = item;
    if (!known.has(feed)) {
      skipped.push({ item, reason: 'there is no such list any more' });
      continue;
    }
    const whole = item.read?.() ?? (await queue.readCopy(item.copy));
    if (kind === 'entity') {
      reread.set(feed, withEntity(reread.get(feed), whole));
    } else {
      const found = await findEvent(whole, store);
      if (typeof found === 'string') {
        skipped.push({ item, reason: found });
        continue;
      }
      retell.set(feed, [...(retell.get(feed) ?? []), found]);
    }
    accepted.push(item);
  }
  const base = { id: commandId, scope: {} };
  // Of its own, since one id is one command in a partition. It begins with the id that is waited for.
  const eventsId = `${commandId}-events`;
  const commands = [
    ...placeIn(feeds, { ...base, name: 'reread', lists: Object.fromEntries(reread) }),
    ...placeIn(feeds, { ...base, id: eventsId, name: 'retell', lists: Object.fromEntries(retell) }),
  ];
  return { accepted, skipped, commands };
}

/** Places a command in the partitions of its lists. */
function placeIn(
  feeds: readonly Feed[],
  command: Extract<Command, { readonly name: 'reread' | 'retell' }>,
): PlacedCommand[] {
  const concerned = feeds.filter(({ id }) => Object.hasOwn(command.lists, id));
  const [first, ...others] = concerned;
  const scope = first !== undefined && others.length === 0 ? { list: first.id } : {};
  const partitions = [...new Set(concerned.map(feedPartition))];
  return partitions.map((partition) => ({ partition, command: { ...command, scope } }));
}

function withEntity(
  before: Reread | undefined,
  { cursor, reason, value }: QuarantinedItem,
): Reread {
  const invalid = [...(before?.invalid ?? []), invalidKey({ reason, value })];
  const from = before === undefined ? cursor : earlierCursor(before.from, cursor);
  return { ...(from !== undefined && { from }), invalid };
}

/** The first page of a list has no cursor. */
function earlierCursor(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return undefined;
  return compareTimestamps(a, b) < 0 ? a : b;
}

/** @returns what tells the event again, or why nothing does. */
async function findEvent(
  { feed, value }: QuarantinedItem,
  store: PlanContext['store'],
): Promise<RefusedEventKey | string> {
  const event = value as ChangeEvent;
  const key = keyOf(event, feed);
  const state = (await store.loadStates(feed, [key])).get(key);
  if (state === undefined) return 'its entity is forgotten';
  if (toFixedWidth(state.sequence) !== event.sequence) {
    return 'a later event has told its entity since: drop it';
  }
  return isTellable(state) ? { key, sequence: state.sequence } : 'its state has no room for it';
}

function isTellable({ told, content, missing, pendingEvent }: EntityState): boolean {
  const hasContent = content !== undefined || missing === true;
  return told !== undefined && hasContent && pendingEvent === undefined;
}

/** The key of an event's entity: its subject is the path of the list, its parent if it is nested, and its id. */
function keyOf({ type, subject, partitionkey }: ChangeEvent, feed: string): string {
  const entity = type.slice(0, type.lastIndexOf('.'));
  const [parentId, nestedName] = subject.slice(`/${feed}/`.length).split('/');
  return entityKey(entity, partitionkey, nestedName === undefined ? undefined : parentId);
}
