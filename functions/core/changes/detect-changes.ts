import { boundaryDigest, skipBoundary } from './boundary-digest.ts';
import { diff, type Diff } from './diff.ts';
import type { Entity, InvalidEntity } from '../model/entity.ts';
import { feedPath, type Feed } from '../model/feed.ts';
import { entityKey, type EntityKey, type EntityState } from '../model/entity-state.ts';
import { detectNestedChanges, type Announced, type ListOfParent } from './nested-changes.ts';
import type { Page } from '../ports/service-api.ts';
import type { Resource } from '../model/resource-catalog.ts';
import {
  deduplicate,
  isOutdated,
  invalidState,
  observe,
  invalidKey,
  type ObservedEntity,
} from './observed-entity.ts';
import { compareTimestamps, type Timestamp } from '../model/timestamp.ts';
import { type Change } from '../model/change.ts';
import { nestedLists, type NestedList } from './nested-lists.ts';
import { type StateStore } from '../ports/state-store.ts';
import { type ProjectState } from '../model/project-state.ts';

/** What one page comes to: to be published, then saved, before the cursor moves. */
export interface PageChanges {
  /** See {@link NestedChanges}: to be published and saved first, and the page worked out again. */
  readonly unfinished: readonly Required<Diff>[];
  /** To be saved before the changes are published. */
  readonly pendingEvent: Announced;
  readonly changes: readonly Change[];
  /** For the quarantine; each unusable value once, however often it is read. */
  readonly invalid: readonly InvalidEntity[];
  /**
   * To be saved in this order: first what is nested or set aside, then the entities of the list.
   * A parent that is saved says that everything nested in it is.
   */
  readonly known: { readonly nested: readonly EntityState[]; readonly own: readonly EntityState[] };
  /** Of the projects' list: where each project stands, as seen or as known, whichever is later. */
  readonly latest: readonly ProjectState[];
  /** True when the page showed something that was not known. */
  readonly isNews: boolean;
  /** See {@link Feed.boundary}; set when the list is settled. */
  readonly boundary: string | undefined;
}

/** An entity of the list with what hangs on it. A class, as `SeenEntity` is. */
class ObservedParent {
  declare readonly entity: Entity;
  declare readonly seen: ObservedEntity;
  declare readonly lists: readonly NestedList[];

  constructor(entity: Entity, seen: ObservedEntity, lists: readonly NestedList[]) {
    this.entity = entity;
    this.seen = seen;
    this.lists = lists;
  }
}

/**
 * Works out what changed on a page, against what the store knows. Changes nothing. What a settled list
 * shows at its cursor once more is not looked up again.
 *
 * @param settledAt the cursor at which the list is settled with this page, if it is.
 */
export async function detectChanges(
  page: Page,
  feed: Feed,
  resource: Resource,
  store: StateStore,
  settledAt?: Timestamp,
): Promise<PageChanges> {
  const silent = feed.phase === 'baseline';
  const shown = {
    entities: observePage(page, feed, resource),
    invalid: deduplicate(page.invalid),
  };
  const boundary = settledAt === undefined ? undefined : boundaryDigest(shown, settledAt);
  const { entities: parents, invalid: found } = skipBoundary(shown, feed);
  const keys = [...parents.map(({ seen }) => seen.key), ...found.map(invalidKey)];
  const known =
    keys.length > 0 ? await store.loadStates(feed.id, keys) : new Map<string, EntityState>();
  const nested = await detectNestedChanges(feed.id, listsOf(parents, known), store, silent);
  const own = detectOwnChanges(parents, known, silent, feed.projectId === undefined);
  const invalid = [...found.filter((item) => !known.has(invalidKey(item))), ...nested.invalid];
  const toSave = {
    nested: [...knownOf(nested.verdicts), ...invalid.map(invalidState)],
    own: own.known,
  };
  return {
    unfinished: nested.unfinished,
    pendingEvent: nested.pendingEvent,
    changes: [...own.changes, ...nested.verdicts.flatMap(({ change }) => change ?? [])],
    invalid,
    known: toSave,
    latest: own.latest,
    isNews: toSave.nested.length + toSave.own.length > 0,
    boundary,
  };
}

function knownOf(verdicts: readonly Diff[]): EntityState[] {
  return verdicts.flatMap(({ known }) => known ?? []);
}

/** The nested lists of all entities, each with its parent as seen and as known. */
function listsOf(
  parents: readonly ObservedParent[],
  known: ReadonlyMap<EntityKey, EntityState>,
): ListOfParent[] {
  const lists: ListOfParent[] = [];
  for (const { seen, lists: nested } of parents) {
    for (const list of nested) lists.push({ parent: seen, knownParent: known.get(seen.key), list });
  }
  return lists;
}

/** What the entities of the list come to. One loop: mostly nothing has changed. */
function detectOwnChanges(
  parents: readonly ObservedParent[],
  known: ReadonlyMap<EntityKey, EntityState>,
  silent: boolean,
  isProjects: boolean,
) {
  const toSave: EntityState[] = [];
  const changes: Change[] = [];
  const latest: ProjectState[] = [];
  for (const { entity, seen } of parents) {
    const before = known.get(seen.key);
    const verdict = diff(before, seen, silent);
    if (verdict.known !== undefined) toSave.push(verdict.known);
    if (verdict.change !== undefined) changes.push(verdict.change);
    const changed = verdict.change !== undefined;
    if (isProjects) latest.push({ entity, deleted: isDeleted(seen, before), changed });
  }
  return { known: toSave, changes, latest };
}

function isDeleted(seen: ObservedEntity, known: EntityState | undefined): boolean {
  const isStale = known !== undefined && compareTimestamps(seen.version, known.version) < 0;
  return isStale ? known.deleted : seen.deletedAt !== null;
}

/** The entities of a page; of one that is there twice, the later version. */
function observePage(page: Page, feed: Feed, resource: Resource): ObservedParent[] {
  const byKey = new Map<EntityKey, ObservedParent>();
  const listPath = feedPath(resource, feed.projectId);
  for (const entity of page.entities) {
    const item = seenWithNested(entity, listPath, resource);
    if (!isOutdated(item.seen, byKey.get(item.seen.key)?.seen)) byKey.set(item.seen.key, item);
  }
  return [...byKey.values()];
}

function seenWithNested(entity: Entity, listPath: string, resource: Resource): ObservedParent {
  const subject = `${listPath}/${entity.id}`;
  const lists = nestedLists(resource, entity, subject);
  const key = entityKey(resource.entity, entity.id);
  const seen = observe({ key, entity: resource.entity, id: entity.id, subject }, entity);
  if (lists.length === 0) return new ObservedParent(entity, seen, lists);
  const fields = new Set(lists.map((list) => list.resource.field));
  const withoutLists: ObservedEntity = {
    ...seen,
    object: Object.fromEntries(Object.entries(entity).filter(([field]) => !fields.has(field))),
    nested: Object.fromEntries(lists.map((list) => [list.resource.name, list.digest])),
  };
  return new ObservedParent(entity, withoutLists, lists);
}
