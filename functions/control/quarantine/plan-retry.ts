import { invalidKey } from '../../core/changes/invalid-entity.ts';
import type { ChangeEvent } from '../../core/contract/events.ts';
import { chunksOf } from '../../core/model/chunks.ts';
import type { Command, PlacedCommand, RefusedEventKey, Reread } from '../../core/model/command.ts';
import { entityKey, type EntityKey, type EntityState } from '../../core/model/entity-state.ts';
import { feedPartition, type Feed } from '../../core/model/feed.ts';
import type { Catalog } from '../../core/model/resource-catalog.ts';
import { compareTimestamps, toFixedWidth } from '../../core/model/timestamp.ts';
import type { QuarantineQueue, QueuedItem } from '../../core/ports/quarantine-queue.ts';
import type { QuarantinedItem } from '../../core/ports/quarantine.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { stateOf } from '../report-status.ts';

const NO_TIME = 'there is no time to read it: retry it after this one';

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
  readonly catalog: Catalog;
  /** All feeds of the account. */
  readonly feeds: readonly Feed[];
  readonly nextId: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What is tried again for one item. */
interface Attempt {
  readonly kind: QueuedItem['kind'];
  readonly feed: Feed;
  /** An event's key, or the key of an invalid entity and the page that showed it. */
  readonly what: RefusedEventKey | { readonly key: EntityKey; readonly from: string | undefined };
}

/** Copies that are read at the same time: one may have megabytes. */
const READS = 4;

/** Nothing more is read after this time: the control function has a minute for all. */
const READ_MS = 25_000;

/** Bytes of the lists of a command in one partition: an item of the table has 400 KB at most. */
const MAX_BYTES = 300_000;

/**
 * Plans how items are tried again, the way everything goes: the lists of invalid entities are read again from the
 * pages that showed them, and refused events are told again from the states of their entities. What cannot be
 * tried, or not now, stays in the quarantine.
 */
export async function planRetry(
  items: readonly QueuedItem[],
  context: PlanContext,
): Promise<RetryPlan> {
  const feeds = new Map(context.feeds.map((feed) => [feed.id, feed]));
  const accepted: QueuedItem[] = [];
  const skipped: { item: QueuedItem; reason: string }[] = [];
  const attempts: Attempt[] = [];
  const bytes = new Map<string, number>();
  const until = context.now() + READ_MS;
  for (const part of chunksOf(items, READS)) {
    const planned = part.map(async (item) => {
      if (context.now() > until) return { item, attempt: NO_TIME };
      return { item, attempt: await planItem(item, feeds.get(item.feed), context) };
    });
    for (const { item, attempt } of await Promise.all(planned)) {
      const reason = typeof attempt === 'string' ? attempt : takeRoom(attempt, bytes);
      if (reason !== undefined) skipped.push({ item, reason });
      else if (typeof attempt !== 'string') {
        attempts.push(attempt);
        accepted.push(item);
      }
    }
  }
  const commands = attempts.length > 0 ? commandsFor(attempts, await context.nextId()) : [];
  return { accepted, skipped, commands };
}

/** @returns why nothing can be done, if so. */
async function planItem(
  item: QueuedItem,
  feed: Feed | undefined,
  context: PlanContext,
): Promise<Attempt | string> {
  const { queue, catalog } = context;
  if (feed === undefined) return 'there is no such list any more';
  const state = stateOf(feed, catalog);
  const isRead = state === 'live' || state === 'baseline' || state === 'waiting';
  // An event needs no list, but what its entity is.
  if (state === 'not polled') return 'its list is not polled: config leaves it out';
  if (item.kind === 'entity' && !isRead) return `its list is not polled: ${state}`;
  let whole: QuarantinedItem;
  try {
    whole = item.read?.() ?? (await queue.readCopy(item.copy));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const { cursor: from, reason, value } = whole;
  // A large entity may look like an event until its copy is read.
  if (item.kind === 'event' && isEvent(value)) {
    const what = await findEvent(value, item.feed, context);
    return typeof what === 'string' ? what : { kind: 'event', feed, what };
  }
  if (!isRead) return `its list is not polled: ${state}`;
  return { kind: 'entity', feed, what: { key: invalidKey({ reason, value }), from } };
}

const EVENT_FIELDS = ['specversion', 'type', 'subject', 'partitionkey', 'sequence'];

function isEvent(value: unknown): value is ChangeEvent {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  return EVENT_FIELDS.every((name) => typeof fields.get(name) === 'string');
}

/** @returns why there is none, if so. */
function takeRoom({ kind, feed, what }: Attempt, bytes: Map<string, number>): string | undefined {
  const item = `${kind} ${feedPartition(feed)}`;
  const sum = (bytes.get(item) ?? 0) + Buffer.byteLength(JSON.stringify([feed.id, what]));
  if (sum > MAX_BYTES) return 'one command has no room for more: retry it after this one';
  bytes.set(item, sum);
  return undefined;
}

/** The commands of each partition, with its own lists alone. */
function commandsFor(attempts: readonly Attempt[], id: string): PlacedCommand[] {
  const byPartition = Map.groupBy(attempts, ({ feed }) => feedPartition(feed));
  const isOne = new Set(attempts.map(({ feed }) => feed.id)).size === 1;
  return [...byPartition].flatMap(([partition, own]) => {
    const reread: Record<string, Reread> = {};
    const retell: Record<string, readonly RefusedEventKey[]> = {};
    for (const { feed, what } of own) {
      if ('sequence' in what) retell[feed.id] = withEvent(retell[feed.id], what);
      else reread[feed.id] = withEntity(reread[feed.id], what);
    }
    const scope = isOne && own[0] ? { list: own[0].feed.id } : {};
    const commands: Command[] = [
      { id, scope, name: 'reread', lists: reread },
      // Of its own, since one id is one command in a partition. It begins with the id that is waited for.
      { id: `${id}-events`, scope, name: 'retell', lists: retell },
    ];
    const isOfUse = (command: Command) =>
      'lists' in command && Object.keys(command.lists).length > 0;
    return commands.filter(isOfUse).map((command) => ({ partition, command }));
  });
}

/** Two items may be of one entity. */
function withEntity(
  before: Reread | undefined,
  { key, from: cursor }: { readonly key: EntityKey; readonly from: string | undefined },
): Reread {
  const invalid = [...new Set([...(before?.invalid ?? []), key])];
  const from = before === undefined ? cursor : earlierCursor(before.from, cursor);
  return { ...(from !== undefined && { from }), invalid };
}

/** Two items may be of one event. */
function withEvent(
  before: readonly RefusedEventKey[] = [],
  event: RefusedEventKey,
): readonly RefusedEventKey[] {
  return before.some(({ key }) => key === event.key) ? before : [...before, event];
}

/** The first page of a list has no cursor. */
function earlierCursor(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return undefined;
  return compareTimestamps(a, b) < 0 ? a : b;
}

/** @returns what tells the event again, or why nothing does. */
async function findEvent(
  event: ChangeEvent,
  feed: string,
  { store }: PlanContext,
): Promise<RefusedEventKey | string> {
  const key = keyOf(event, feed);
  const state = (await store.loadStates(feed, [key])).get(key);
  if (state === undefined) return 'its state has expired';
  if (toFixedWidth(state.sequence) !== event.sequence) {
    return 'a later event has told its entity since: drop it';
  }
  return isTellable(state) ? { key, sequence: state.sequence } : 'its state has no room for it';
}

function isTellable({ event, content, inferred, unpublished }: EntityState): boolean {
  const hasContent = content !== undefined || inferred !== undefined;
  return event !== undefined && hasContent && unpublished === undefined;
}

/** The key of an event's entity: its subject is the path of the list, its parent if it is nested, and its id. */
function keyOf({ type, subject, partitionkey }: ChangeEvent, feed: string): string {
  const entity = type.slice(0, type.lastIndexOf('.'));
  const [parentId, nestedName] = subject.slice(`/${feed}/`.length).split('/');
  return entityKey(entity, partitionkey, nestedName === undefined ? undefined : parentId);
}
