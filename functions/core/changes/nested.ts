import {
  childPrefix,
  entityKey,
  idIn,
  type EntityKey,
  type EntityState,
} from '../model/entity-state.ts';
import { idOf, type InvalidEntity, type ParentOfInvalid } from '../model/entity.ts';
import { compareTimestamps } from '../model/timestamp.ts';
import type { ChildVersion, StateStore } from '../ports/state-store.ts';
import { workOn } from './invalid-entity.ts';
import type { NestedList } from './nested-list.ts';
import { latestOfEach, observe, type Identity, type ObservedEntity } from './observe.ts';

/**
 * Finds the items of nested lists that have to be compared with their states. Such lists belong to
 * the version of their parent:
 *
 * - A parent older than the mirror's is ignored with its list.
 * - The same version with the same digest of the list: nothing to do.
 * - Otherwise each item that is shown with a new version is compared. Only a newer parent also
 *   drops items, and restores dropped ones: two answers with one version may be of any age.
 *
 * A run saves a parent after its items. So its saved version says that they are done.
 */

/** A nested list with its parent. */
export interface ObservedList {
  readonly parent: ObservedEntity;
  readonly list: NestedList;
  /** Whether the parent is newer than the mirror's. */
  readonly isNewer: boolean;
}

/** An item to compare. */
export interface NestedItem extends Identity {
  readonly from: ObservedList;
  /** Absent: the list does not show it. */
  readonly shown?: ObservedEntity;
}

/** The items of a list that may differ from their states. */
export interface ListItems {
  readonly from: ObservedList;
  readonly items: readonly NestedItem[];
  readonly invalid: readonly InvalidEntity[];
}

/**
 * The lists that have to be compared.
 *
 * @param isWhole whether all lists are, and each parent that is not older counts as newer.
 */
export function listsToCompare(
  parents: readonly ObservedEntity[],
  states: ReadonlyMap<EntityKey, EntityState>,
  isWhole: boolean,
): readonly ObservedList[] {
  return parents.flatMap((parent) => {
    const state = states.get(parent.key);
    const age = state === undefined ? 1 : compareTimestamps(parent.version, state.version);
    if (age < 0) return [];
    const isNewer = age > 0 || isWhole;
    return parent.lists
      .filter((list) => isWhole || (isNewer && list.isList) || isNews(list, state))
      .map((list) => ({ parent, list, isNewer }));
  });
}

function isNews({ resource, digest }: NestedList, state: EntityState | undefined): boolean {
  return digest === undefined || state?.nested?.[resource.name] !== digest;
}

/**
 * The items of a list that may differ from their states. Reads only the versions of items that are
 * not deleted: a checklist may have had thousands that were deleted long ago.
 */
export async function findItems(
  from: ObservedList,
  feedId: string,
  store: Pick<StateStore, 'loadLiveChildren'>,
): Promise<ListItems> {
  const { parent, list } = from;
  const prefix = childPrefix(list.resource.entity, parent.id);
  const children = list.isList ? await store.loadLiveChildren(feedId, prefix) : [];
  const live = new Map(children.map((child) => [child.key, child]));
  const invalid = [...list.invalid];
  const origin = originOf(from);
  const observed = list.entities.map((each) =>
    workOn(each, invalid, () => observe(identityOf(idOf(each), from), each), origin),
  );
  const all = latestOfEach(observed);
  const keys = new Set(all.map(({ key }) => key));
  const shown = all.filter((item) => mayDiffer(item, live.get(item.key)));
  const others = children
    .filter(({ key }) => !keys.has(key))
    .map(({ key, isUnpublished }) => ({ ...identityOf(idIn(key), from), isUnpublished }))
    .filter((item) => item.isUnpublished || isDropped(item.id, from));
  return {
    from,
    items: [
      ...shown.map((item) => ({ ...identityOf(item.id, from), from, shown: item })),
      ...others.map(({ id }) => ({ ...identityOf(id, from), from })),
    ],
    invalid,
  };
}

/** Whether a newer version of the parent does not show an item any more. */
export function isDropped(id: string, { isNewer, list }: ObservedList): boolean {
  return isNewer && list.ids !== undefined && !list.ids.has(id);
}

function mayDiffer({ version }: ObservedEntity, live: ChildVersion | undefined): boolean {
  if (live === undefined || live.isUnpublished) return true;
  return compareTimestamps(version, live.version) > 0;
}

function identityOf(id: string, from: ObservedList): Identity {
  const { parent, list } = from;
  const { entity } = list.resource;
  return {
    key: entityKey(entity, id, parent.id),
    entity,
    id,
    subject: `${originOf(from).path}/${id}`,
  };
}

/** Where an item of the list was found that cannot be worked on. */
export function originOf({ parent, list }: ObservedList): ParentOfInvalid {
  return { path: `${parent.subject}/${list.resource.name}`, version: parent.version };
}
