import {
  childPrefix,
  entityKey,
  isOlderThanOutbox,
  outboxMark,
  outboxVersion,
  type EntityKey,
  type EntityState,
} from '../model/entity-state.ts';
import type { InvalidEntity } from '../model/entity.ts';
import { isSilent, type Feed } from '../model/feed.ts';
import { compareTimestamps, laterOf } from '../model/timestamp.ts';
import type { ChildVersion, StateStore } from '../ports/state-store.ts';
import { isNewerThanKnown, type AnswerAge } from './answer-age.ts';
import { diff, diffMissing } from './diff.ts';
import { workOn } from './invalid-entity.ts';
import type { NestedList } from './nested-lists.ts';
import { isOutdated, observe, type Identity, type ObservedEntity } from './observed-entity.ts';
import { addToOutbox, diffFromOutbox, isPending, replayFromOutbox } from './outbox.ts';
import { tell, type ToEvent, type ToldDiff } from './tell.ts';

/** A nested list with its observed parent and the parent's state. */
export interface ObservedList {
  readonly parent: ObservedEntity;
  readonly parentState: EntityState | undefined;
  readonly list: NestedList;
}

interface DifferingList extends ObservedList {
  readonly observed: ReadonlyMap<EntityKey, ObservedEntity>;
  /** Stored items that are not deleted; those that are missing only if that says something. */
  readonly live: ReadonlyMap<EntityKey, ChildVersion>;
  readonly invalid: readonly InvalidEntity[];
}

/** A change whose event may have been published, and the state to save after it. */
export type PendingChange = Required<ToldDiff>;

/** To be saved in this order, before the events of items are published. */
export interface OutboxStates {
  /**
   * Parents with marks in place of the lists' digests: if a re-read list looks as it did before, its
   * items must still be compared.
   */
  readonly parents: readonly EntityState[];
  /** Items with their pending events. */
  readonly items: readonly EntityState[];
}

/** The changes found in nested lists. */
export interface NestedChanges {
  readonly diffs: readonly ToldDiff[];
  /**
   * To be saved before publishing: an item that is gone when the page is re-read after a crash leaves
   * no other trace of its published event.
   */
  readonly outbox: OutboxStates;
  /** If there are any, publish and save them unchanged, ignore the rest, and detect changes again. */
  readonly pending: readonly PendingChange[];
  /** Invalid items, in the quarantine or not. */
  readonly invalid: readonly InvalidEntity[];
  /**
   * Lists in which an item is missing or back, in an answer that may be older than what is known. They
   * must be compared again, so their digests must not be saved.
   */
  readonly undecided: readonly NestedList[];
}

/** The page's feed, and how it is compared. */
export interface NestedContext {
  readonly feed: Feed;
  readonly store: Pick<StateStore, 'loadStates' | 'loadLiveChildren'>;
  readonly answer: AnswerAge;
  readonly toEvent: ToEvent;
}

/**
 * Compares nested lists with the stored states. Skips a list whose digest is saved with its parent, and
 * a list from an answer older than the parent's state, which may lack items that exist by now.
 *
 * Reads only keys and versions of the items that are not deleted, and whole states only of items that
 * differ: a checklist may have had thousands of items that were deleted long ago.
 */
export async function detectNestedChanges(
  lists: readonly ObservedList[],
  context: NestedContext,
): Promise<NestedChanges> {
  const differing = await Promise.all(
    lists.filter(differs).map(async (item): Promise<DifferingList> => {
      const invalid = [...item.list.invalid];
      const observed = observeList(item, invalid);
      const isComplete = invalid.length === 0;
      const stored = mayLackItems(item, context.feed)
        ? await context.store.loadLiveChildren(context.feed.id, prefixOf(item))
        : [];
      // Beside an invalid item a missing one says nothing, but its pending event must be told.
      const live = stored.filter((c) => isComplete || c.isPending || observed.has(c.key));
      return { ...item, observed, live: new Map(live.map((c) => [c.key, c])), invalid };
    }),
  );
  const keys = differing.flatMap(keysToLoad);
  const isEmpty = keys.length === 0;
  const states = isEmpty ? new Map() : await context.store.loadStates(context.feed.id, keys);
  const results = differing.map((item) => detectListChanges(item, states, context));
  return {
    diffs: results.flatMap(({ diffs }) => diffs),
    outbox: {
      parents: withOutboxMarks(differing.filter((_, i) => (results[i]?.outbox.length ?? 0) > 0)),
      items: results.flatMap(({ outbox }) => outbox),
    },
    pending: results.flatMap(({ pending }) => pending),
    invalid: results.flatMap(({ invalid }) => invalid),
    undecided: differing.flatMap(({ list }, i) => (results[i]?.isDecided === false ? list : [])),
  };
}

function differs({ parent, parentState, list }: ObservedList): boolean {
  if (parentState === undefined) return true;
  const digest = parentState.nested?.[list.resource.name];
  const isStale =
    compareTimestamps(parent.version, parentState.version) < 0 ||
    isOlderThanOutbox(parent.version, digest);
  return !isStale && digest !== list.digest;
}

/**
 * Whether items whose events were published may be missing from the list. A parent without a state may
 * also have such items, if a run died before it saved the parent.
 */
function mayLackItems({ parent, parentState, list }: ObservedList, feed: Feed): boolean {
  const isList = list.resource.holds === 'list';
  return isList && (parentState !== undefined || !isSilent(feed, parent.version));
}

/** Keys of the items that are new, changed, missing or pending. */
function keysToLoad({ observed, live }: DifferingList): EntityKey[] {
  return [
    ...[...observed.values()].filter((child) => mayDiffer(child, live)).map(({ key }) => key),
    ...[...live.values()]
      .filter(({ key, isPending }) => isPending || !observed.has(key))
      .map(({ key }) => key),
  ];
}

function mayDiffer({ key, version }: ObservedEntity, live: DifferingList['live']): boolean {
  const stored = live.get(key);
  return stored === undefined || compareTimestamps(version, stored.version) > 0;
}

interface ListChanges extends Pick<NestedChanges, 'diffs' | 'pending' | 'invalid'> {
  readonly outbox: readonly EntityState[];
  readonly isDecided: boolean;
}

function detectListChanges(
  item: DifferingList,
  states: ReadonlyMap<EntityKey, EntityState>,
  { feed, answer, toEvent }: NestedContext,
): ListChanges {
  const { parent, list, observed, live } = item;
  const invalid = [...item.invalid];
  const diffs: ToldDiff[] = [];
  const pending: PendingChange[] = [];
  let isDecided = true;
  const keys = [...observed.keys(), ...[...live.keys()].filter((key) => !observed.has(key))];
  for (const key of keys) {
    const child = observed.get(key);
    const state = states.get(key);
    if (child && !mayDiffer(child, live) && state === undefined) continue;
    workOn(child?.object ?? { id: key }, invalid, () => {
      const isUndecided = state !== undefined && mayBeOutdated(item, child, state, answer);
      if (isUndecided) isDecided = false;
      const identity = identityOfKey(key, item);
      if (isPending(state)) {
        const replayed = replayFromOutbox(state, identity, child);
        if (replayed) pending.push(tell(replayed, toEvent));
        else if (!isUndecided && (child ?? item.invalid.length === 0))
          diffs.push(tell(diffFromOutbox(state, identity, child, parent.version), toEvent));
        return;
      }
      if (isUndecided) return;
      if (child) diffs.push(tell(diff(state, child, isSilent(feed, child.version)), toEvent));
      else if (state) diffs.push(tell(diffMissing(state, identity, parent.version), toEvent));
    });
  }
  // Also beside an invalid item: after a crash the others may be gone.
  const outbox = list.resource.holds === 'list' ? diffs.flatMap(addToOutbox) : [];
  return { diffs, outbox, pending, invalid, isDecided };
}

/**
 * Whether an item is missing, back, or pending and older than its state, although the answer may be older
 * than that. The first two have no timestamp of their own.
 */
function mayBeOutdated(
  { parent, parentState, list }: ObservedList,
  child: ObservedEntity | undefined,
  { version, deleted, missing, pendingEvent }: EntityState,
  answer: AnswerAge,
): boolean {
  const isMissing = child === undefined && !deleted;
  const isBack = child?.deletedAt === null && missing === true;
  const isOlder = child !== undefined && compareTimestamps(child.version, version) < 0;
  if (!isMissing && !isBack) return isOlder && pendingEvent !== undefined;
  const mark = outboxVersion(parentState?.nested?.[list.resource.name]);
  const known = { parent: laterOf(parentState?.version, mark), item: version };
  return !isNewerThanKnown(parent.version, known, answer);
}

/** The states of the lists' parents, with marks in place of the digests of these lists. */
function withOutboxMarks(lists: readonly ObservedList[]): EntityState[] {
  const states = new Map<EntityKey, EntityState>();
  for (const { parent, parentState, list } of lists) {
    if (parentState === undefined) continue;
    const state = states.get(parent.key) ?? parentState;
    const nested = { ...state.nested, [list.resource.name]: outboxMark(parent.version) };
    states.set(parent.key, { ...state, nested });
  }
  return [...states.values()];
}

function observeList(item: ObservedList, invalid: InvalidEntity[]): Map<EntityKey, ObservedEntity> {
  const byKey = new Map<EntityKey, ObservedEntity>();
  for (const entity of item.list.entities) {
    const observed = workOn(entity, invalid, () => observe(identityOf(entity.id, item), entity));
    if (observed && !isOutdated(observed, byKey.get(observed.key)))
      byKey.set(observed.key, observed);
  }
  return byKey;
}

function identityOf(id: string, { parent, list }: ObservedList): Identity {
  const { entity, name } = list.resource;
  return {
    key: entityKey(entity, id, parent.id),
    entity,
    id,
    subject: `${parent.subject}/${name}/${id}`,
  };
}

/** The identity of an item from its key alone, since its content may not have been kept. */
function identityOfKey(key: EntityKey, item: ObservedList): Identity {
  return identityOf(key.slice(prefixOf(item).length), item);
}

function prefixOf({ parent, list }: ObservedList): string {
  return childPrefix(list.resource.entity, parent.id);
}
