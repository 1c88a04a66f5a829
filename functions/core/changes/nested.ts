/**
 * Finds the nested items to compare with their states. A nested list belongs to the version of its
 * parent:
 *
 * - A parent older than the mirror's is ignored with its list.
 * - The same version with the same digest of the list: nothing to do.
 * - Otherwise each item that is shown with a new version is compared. Only a newer parent also
 *   drops items, and restores dropped ones: two answers with one version may be of any age.
 * - In a list that is read whole, every parent that is not older counts as newer. One of the same
 *   version drops no item that changed within the lookback: a copy may not know it yet.
 *
 * A run saves a parent after its items. So a saved version of a parent means that they are done.
 */
import { childPrefix, idIn, type EntityKey, type EntityState } from '../model/entity-state.ts';
import { validIdOf, type InvalidEntity } from '../model/entity.ts';
import { compareTimestamps, type Timestamp } from '../model/timestamp.ts';
import type { ChildVersion, StateStore } from '../ports/state-store.ts';
import type { NestedList } from './nested-list.ts';
import { latestOfEach, observe, parentOf, type Observed, type Unseen } from './observe.ts';
import type { Place } from './place.ts';

/** A nested list to compare. */
export interface ObservedList {
  readonly list: NestedList;
  readonly parent: Observed;
  /** Whether the parent is newer than the mirror's. */
  readonly isNewer: boolean;
  /** Items of a later version are not dropped. */
  readonly settledAt?: Timestamp | undefined;
}

/** The items of a list that may differ from their states. */
export interface ListItems {
  readonly items: readonly (Observed | Unseen)[];
  readonly invalid: readonly InvalidEntity[];
}

/** The lists that have to be compared. */
export function listsToCompare(
  parents: readonly Observed[],
  states: ReadonlyMap<EntityKey, EntityState>,
): readonly ObservedList[] {
  const found: ObservedList[] = [];
  for (const parent of parents) {
    const state = states.get(parent.key);
    const age = state === undefined ? 1 : compareTimestamps(parent.version, state.version);
    if (age < 0) continue;
    const { inferredRestoreAt, settledAt } = parent.place;
    const isNewer = age > 0 || inferredRestoreAt !== undefined;
    const read = age > 0 ? { isNewer } : { isNewer, settledAt };
    for (const list of parent.lists)
      if (isNewer || isNews(list, state)) found.push({ list, parent, ...read });
  }
  return found;
}

function isNews({ resource, digest }: NestedList, state: EntityState | undefined): boolean {
  return digest === undefined || state?.nested?.[resource.name] !== digest;
}

/**
 * The items of a list that may differ from their states. Reads only the versions of items that are
 * not deleted: a checklist may have had thousands that were deleted long ago.
 */
export async function findItems(
  observed: ObservedList,
  feedId: string,
  store: Pick<StateStore, 'loadLiveChildren'>,
): Promise<ListItems> {
  const { list, parent, isNewer, settledAt } = observed;
  const place = placeOfItems(observed);
  const prefix = childPrefix(place.entity, parent.id);
  const children = list.isList ? await store.loadLiveChildren(feedId, prefix) : [];
  const live = new Map(children.map((child) => [child.key, child]));
  const invalid = list.invalid.map((item) => ({ ...item, ...parentOf(place) }));
  const all = latestOfEach(list.entities.map((entity) => observe(place, entity)));
  const shown = new Set(all.map(({ key }) => key));
  const ids = isNewer ? idsOf(list) : undefined;
  const missing = children.flatMap(({ key, version, isUnpublished }) => {
    const id = idIn(key);
    const isSettled = settledAt === undefined || compareTimestamps(version, settledAt) <= 0;
    const isDropped = ids !== undefined && !ids.has(id) && isSettled;
    if (shown.has(key) || !(isDropped || isUnpublished)) return [];
    return { place, id, key, inferredDeleteAt: isDropped ? parent.version : undefined };
  });
  const items = [...all.filter((item) => mayDiffer(item, live.get(item.key))), ...missing];
  return { items, invalid };
}

function placeOfItems({ list, parent, isNewer }: ObservedList): Place {
  const { id, version, place } = parent;
  return {
    entity: list.resource.entity,
    path: `${place.path}/${id}/${list.resource.name}`,
    parent: { id, version },
    inferredRestoreAt: isNewer ? version : undefined,
    isWrittenAhead: list.isList,
  };
}

/**
 * Ids of all items, invalid ones included: the others were dropped. Absent if an item has no usable
 * id: then nothing was dropped.
 */
function idsOf({ entities, invalid }: NestedList): ReadonlySet<unknown> | undefined {
  const ids = [...entities, ...invalid.map(({ value }) => value)].map(validIdOf);
  return ids.includes(undefined) ? undefined : new Set(ids);
}

function mayDiffer({ version }: Observed, live: ChildVersion | undefined): boolean {
  if (live === undefined || live.isUnpublished) return true;
  return compareTimestamps(version, live.version) > 0;
}
