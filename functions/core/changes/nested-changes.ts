import { diff, diffMissing, type Diff } from './diff.ts';
import { type InvalidEntity } from '../model/entity.ts';
import {
  outboxMark,
  childPrefix,
  entityKey,
  type EntityKey,
  type EntityState,
  isOlderThanOutbox,
} from '../model/entity-state.ts';
import {
  isOutdated,
  observe,
  invalidKey,
  type Identity,
  type ObservedEntity,
} from './observed-entity.ts';
import { compareTimestamps } from '../model/timestamp.ts';
import { addToOutbox, replayFromOutbox } from './outbox.ts';
import { type StateStore } from '../ports/state-store.ts';
import { type NestedList } from './nested-lists.ts';

/** A nested list together with its parent, as seen and as known. */
export interface ListOfParent {
  readonly parent: ObservedEntity;
  readonly knownParent: EntityState | undefined;
  readonly list: NestedList;
}

/** A list that has to be worked. */
interface DifferingList extends ListOfParent {
  readonly seen: ReadonlyMap<EntityKey, ObservedEntity>;
  readonly mayLackItems: boolean;
}

/** To be saved in this order, before items are published. */
export interface Announced {
  /**
   * Parents that no longer say that their list is worked: it may look as it did before when it is
   * read again, and its items would not be looked at.
   */
  readonly parents: readonly EntityState[];
  /** Items, with what is going to be said of them. */
  readonly items: readonly EntityState[];
}

/** What nested lists come to. */
export interface NestedChanges {
  readonly verdicts: readonly Diff[];
  /**
   * To be saved before anything of this is published. An item that is gone from its list when the
   * page is read again after a crash leaves no other trace of what was published of it.
   */
  readonly pendingEvent: Announced;
  /**
   * Announced earlier, and perhaps published: to be published just so, and saved, before the page is
   * worked out again. When there are any, the rest is to be left alone.
   */
  readonly unfinished: readonly Required<Diff>[];
  /** Not set aside before. */
  readonly invalid: readonly InvalidEntity[];
}

/**
 * Works out what changed in nested lists. A list whose digest is the one saved with its parent
 * costs nothing; one of an answer older than what is known is left alone, since it may lack items
 * that exist by now.
 */
export async function detectNestedChanges(
  feedId: string,
  lists: readonly ListOfParent[],
  store: StateStore,
  silent: boolean,
): Promise<NestedChanges> {
  const differing = lists.filter(differs).map((item) => ({
    ...item,
    seen: seenInList(item),
    mayLackItems: mayLackItems(item, silent),
  }));
  const keys = differing
    .filter((item) => !item.mayLackItems)
    .flatMap(({ seen, list }) => [...seen.keys(), ...list.invalid.map(invalidKey)]);
  const byKey =
    keys.length > 0 ? await store.loadStates(feedId, keys) : new Map<string, EntityState>();
  const work = await Promise.all(
    differing.map(async (item) => {
      const known = item.mayLackItems ? await loadWholeList(feedId, item, store) : byKey;
      return detectListChanges(item, known, silent);
    }),
  );
  return {
    verdicts: work.flatMap(({ verdicts }) => verdicts),
    pendingEvent: {
      parents: withOutboxMarks(differing.filter((_, i) => (work[i]?.pendingEvent.length ?? 0) > 0)),
      items: work.flatMap(({ pendingEvent }) => pendingEvent),
    },
    unfinished: work.flatMap(({ unfinished }) => unfinished),
    invalid: work.flatMap(({ invalid }) => invalid),
  };
}

function differs({ parent, knownParent, list }: ListOfParent): boolean {
  if (knownParent === undefined) return true;
  const digest = knownParent.nested?.[list.resource.name];
  const isStale =
    compareTimestamps(parent.version, knownParent.version) < 0 ||
    isOlderThanOutbox(parent.version, digest);
  return !isStale && digest !== list.digest;
}

/**
 * Whether items whose events were published may be missing from the list. Also a parent that is not
 * known yet can have such items, if a run died before it was saved.
 */
function mayLackItems({ knownParent, list }: ListOfParent, silent: boolean): boolean {
  return list.isComplete && (knownParent !== undefined || !silent);
}

async function loadWholeList(feedId: string, item: ListOfParent, store: StateStore) {
  const all = await store.loadChildStates(feedId, prefixOf(item));
  return new Map(all.map((item) => [item.key, item]));
}

/** What one list comes to; see {@link NestedChanges}. */
interface ListChanges extends Omit<NestedChanges, 'pendingEvent'> {
  readonly pendingEvent: readonly EntityState[];
}

function detectListChanges(
  item: DifferingList,
  known: ReadonlyMap<EntityKey, EntityState>,
  silent: boolean,
): ListChanges {
  const { parent, list, seen } = item;
  const missing = item.mayLackItems
    ? [...known.values()].filter((child) => !seen.has(child.key) && !isOlder(item, child))
    : [];
  const verdicts = [
    ...[...seen.values()].map((child) => diff(known.get(child.key), child, silent)),
    ...missing.map((child) =>
      diffMissing(child, identityOf(idFromKey(child.key, item), item), parent.version),
    ),
  ];
  return {
    verdicts,
    pendingEvent: list.isComplete ? verdicts.flatMap(addToOutbox) : [],
    unfinished: [...known.values()].flatMap(({ pendingEvent, ...child }) =>
      pendingEvent === undefined || !child.key.startsWith(prefixOf(item))
        ? []
        : replayFromOutbox(
            { ...child, pendingEvent },
            identityOf(idFromKey(child.key, item), item),
            seen.get(child.key),
          ),
    ),
    invalid: list.invalid.filter((value) => !known.has(invalidKey(value))),
  };
}

/**
 * Whether the answer may be older than the item: of a parent that was not saved before a run died,
 * nothing else tells.
 */
function isOlder({ parent, knownParent }: ListOfParent, child: EntityState): boolean {
  return knownParent === undefined && compareTimestamps(parent.version, child.version) < 0;
}

/** The known parents of lists, with a mark in the place of the digests of these lists. */
function withOutboxMarks(lists: readonly ListOfParent[]): EntityState[] {
  const parents = new Map<EntityKey, EntityState>();
  for (const { parent: seen, knownParent, list } of lists) {
    if (knownParent === undefined) continue;
    const parent = parents.get(knownParent.key) ?? knownParent;
    const nested = { ...parent.nested, [list.resource.name]: outboxMark(seen.version) };
    parents.set(parent.key, { ...parent, nested });
  }
  return [...parents.values()];
}

function seenInList(item: ListOfParent): Map<EntityKey, ObservedEntity> {
  const byKey = new Map<EntityKey, ObservedEntity>();
  for (const entity of item.list.entities) {
    const seen = observe(identityOf(entity.id, item), entity);
    if (!isOutdated(seen, byKey.get(seen.key))) byKey.set(seen.key, seen);
  }
  return byKey;
}

function identityOf(id: string, { parent, list }: ListOfParent): Identity {
  const { entity, name } = list.resource;
  return {
    key: entityKey(entity, id, parent.id),
    entity,
    id,
    subject: `${parent.subject}/${name}/${id}`,
  };
}

/** Who a missing item was, from its key alone: its content may not have been kept. */
function idFromKey(key: EntityKey, item: ListOfParent): string {
  return key.slice(prefixOf(item).length);
}

function prefixOf({ parent, list }: ListOfParent): string {
  return childPrefix(list.resource.entity, parent.id);
}
