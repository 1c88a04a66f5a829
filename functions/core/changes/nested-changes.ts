import {
  childPrefix,
  entityKey,
  isOlderThanOutbox,
  outboxMark,
  type EntityKey,
  type EntityState,
} from '../model/entity-state.ts';
import type { InvalidEntity } from '../model/entity.ts';
import { compareTimestamps } from '../model/timestamp.ts';
import type { StateStore } from '../ports/state-store.ts';
import { diff, diffMissing, type Diff } from './diff.ts';
import { invalidKey } from './invalid-entity.ts';
import type { NestedList } from './nested-lists.ts';
import { isOutdated, observe, type Identity, type ObservedEntity } from './observed-entity.ts';
import { addToOutbox, replayFromOutbox } from './outbox.ts';

/** A nested list with its observed parent and the parent's state. */
export interface ObservedList {
  readonly parent: ObservedEntity;
  readonly parentState: EntityState | undefined;
  readonly list: NestedList;
}

interface DifferingList extends ObservedList {
  readonly observed: ReadonlyMap<EntityKey, ObservedEntity>;
  readonly mayLackItems: boolean;
}

/** A change whose event may have been published, and the state to save after it. */
export type PendingChange = Required<Diff>;

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
  readonly diffs: readonly Diff[];
  /**
   * To be saved before publishing: an item that is gone when the page is re-read after a crash leaves
   * no other trace of its published event.
   */
  readonly outbox: OutboxStates;
  /** If there are any, publish and save them unchanged, ignore the rest, and detect changes again. */
  readonly pending: readonly PendingChange[];
  /** Invalid items that are not yet in the quarantine. */
  readonly invalid: readonly InvalidEntity[];
}

/**
 * Compares nested lists with the stored states. Skips a list whose digest is saved with its parent, and
 * a list from an answer older than the parent's state, which may lack items that exist by now.
 */
export async function detectNestedChanges(
  feedId: string,
  lists: readonly ObservedList[],
  store: StateStore,
  isBaseline: boolean,
): Promise<NestedChanges> {
  const differing = lists.filter(differs).map((item) => ({
    ...item,
    observed: observeList(item),
    mayLackItems: mayLackItems(item, isBaseline),
  }));
  const keys = differing
    .filter((item) => !item.mayLackItems)
    .flatMap(({ observed, list }) => [...observed.keys(), ...list.invalid.map(invalidKey)]);
  const byKey =
    keys.length > 0 ? await store.loadStates(feedId, keys) : new Map<string, EntityState>();
  const results = await Promise.all(
    differing.map(async (item) => {
      const states = item.mayLackItems ? await loadItemStates(feedId, item, store) : byKey;
      return detectListChanges(item, states, isBaseline);
    }),
  );
  return {
    diffs: results.flatMap(({ diffs }) => diffs),
    outbox: {
      parents: withOutboxMarks(differing.filter((_, i) => (results[i]?.outbox.length ?? 0) > 0)),
      items: results.flatMap(({ outbox }) => outbox),
    },
    pending: results.flatMap(({ pending }) => pending),
    invalid: results.flatMap(({ invalid }) => invalid),
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
function mayLackItems({ parentState, list }: ObservedList, isBaseline: boolean): boolean {
  return list.isComplete && (parentState !== undefined || !isBaseline);
}

async function loadItemStates(feedId: string, item: ObservedList, store: StateStore) {
  const states = await store.loadChildStates(feedId, prefixOf(item));
  return new Map(states.map((state) => [state.key, state]));
}

interface ListChanges extends Omit<NestedChanges, 'outbox'> {
  readonly outbox: readonly EntityState[];
}

function detectListChanges(
  item: DifferingList,
  states: ReadonlyMap<EntityKey, EntityState>,
  isBaseline: boolean,
): ListChanges {
  const { parent, list, observed } = item;
  const missing = item.mayLackItems
    ? [...states.values()].filter((state) => !observed.has(state.key) && !isOlder(item, state))
    : [];
  const diffs = [
    ...[...observed.values()].map((child) => diff(states.get(child.key), child, isBaseline)),
    ...missing.map((state) => diffMissing(state, identityOfKey(state.key, item), parent.version)),
  ];
  return {
    diffs,
    outbox: list.isComplete ? diffs.flatMap(addToOutbox) : [],
    pending: [...states.values()].flatMap(({ pendingEvent, ...state }) =>
      pendingEvent === undefined || !state.key.startsWith(prefixOf(item))
        ? []
        : replayFromOutbox(
            { ...state, pendingEvent },
            identityOfKey(state.key, item),
            observed.get(state.key),
          ),
    ),
    invalid: list.invalid.filter((value) => !states.has(invalidKey(value))),
  };
}

/** Whether the answer may be older than the item, when the parent has no state. */
function isOlder({ parent, parentState }: ObservedList, state: EntityState): boolean {
  return parentState === undefined && compareTimestamps(parent.version, state.version) < 0;
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

function observeList(item: ObservedList): Map<EntityKey, ObservedEntity> {
  const byKey = new Map<EntityKey, ObservedEntity>();
  for (const entity of item.list.entities) {
    const observed = observe(identityOf(entity.id, item), entity);
    if (!isOutdated(observed, byKey.get(observed.key))) byKey.set(observed.key, observed);
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
