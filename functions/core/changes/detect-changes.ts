import { boundaryOf, withoutBoundary } from './boundary-digest.ts';
import { diff, type Verdict } from './diff.ts';
import type { Entity, JsonObject, UnusableEntity } from '../model/entity.ts';
import { mayStandFor, type EntityTexts } from '../events/serialize-event.ts';
import { feedPath, type Feed } from '../model/feed.ts';
import { entityKey, type EntityKey, type Known } from '../model/entity-state.ts';
import { workOutNested, type Announced, type ListOfParent } from './nested-changes.ts';
import type { Page } from '../ports/service-api.ts';
import type { Resource } from '../model/resource-catalog.ts';
import {
  eachOnce,
  isSuperseded,
  knownUnusable,
  seenFrom,
  unusableKey,
  type Seen,
} from './observed-entity.ts';
import { compareTimestamps, type Timestamp } from '../model/timestamp.ts';
import { type Change } from '../model/change.ts';
import { nestedLists, type NestedList } from './nested-lists.ts';
import { type StateStore } from '../ports/state-store.ts';
import { type LatestState } from '../model/project-state.ts';

/** What one page comes to: to be published, then saved, before the cursor moves. */
export interface PageWork {
  /** See {@link NestedWork}: to be published and saved first, and the page worked out again. */
  readonly unfinished: readonly Required<Verdict>[];
  /** To be saved before the changes are published. */
  readonly announced: Announced;
  readonly changes: readonly Change[];
  /** For the quarantine; each unusable value once, however often it is read. */
  readonly unusable: readonly UnusableEntity[];
  /**
   * To be saved in this order: first what is nested or set aside, then the entities of the list.
   * A parent that is saved says that everything nested in it is.
   */
  readonly known: { readonly nested: readonly Known[]; readonly own: readonly Known[] };
  /** Of the projects' list: where each project stands, as seen or as known, whichever is later. */
  readonly latest: readonly LatestState[];
  /** JSON of what is published and saved, where it is known. */
  readonly texts: EntityTexts;
  /** True when the page showed something that was not known. */
  readonly isNews: boolean;
  /** See {@link Feed.boundary}; set when the list is settled. */
  readonly boundary: string | undefined;
}

/** An entity of the list with what hangs on it. A class, as `SeenEntity` is. */
class SeenWithNested {
  declare readonly entity: Entity;
  declare readonly seen: Seen;
  declare readonly lists: readonly NestedList[];
  /** JSON of what was seen, where it is known: of an entity without lists. */
  declare readonly json: string | undefined;

  constructor(entity: Entity, seen: Seen, lists: readonly NestedList[], json?: string) {
    this.entity = entity;
    this.seen = seen;
    this.lists = lists;
    this.json = json;
  }
}

/**
 * Works out what changed on a page, against what the store knows. Changes nothing. What a settled list
 * shows at its cursor once more is not looked up again.
 *
 * @param settledAt the cursor at which the list is settled with this page, if it is.
 */
export async function workOutPage(
  page: Page,
  feed: Feed,
  resource: Resource,
  store: StateStore,
  settledAt?: Timestamp,
): Promise<PageWork> {
  const silent = feed.phase === 'baseline';
  const shown = {
    entities: seenOnPage(page, feed, resource),
    unusable: eachOnce(page.unusable),
  };
  const boundary = settledAt === undefined ? undefined : boundaryOf(shown, settledAt);
  const { entities: parents, unusable: found } = withoutBoundary(shown, feed);
  const keys = [...parents.map(({ seen }) => seen.key), ...found.map(unusableKey)];
  const known = keys.length > 0 ? await store.loadKnown(feed.id, keys) : new Map<string, Known>();
  const nested = await workOutNested(feed.id, listsOf(parents, known), store, silent);
  const own = workOutOwn(parents, known, silent, feed.projectId === undefined);
  const unusable = [...found.filter((item) => !known.has(unusableKey(item))), ...nested.unusable];
  const toSave = {
    nested: [...knownOf(nested.verdicts), ...unusable.map(knownUnusable)],
    own: own.known,
  };
  return {
    unfinished: nested.unfinished,
    announced: nested.announced,
    changes: [...own.changes, ...nested.verdicts.flatMap(({ change }) => change ?? [])],
    unusable,
    known: toSave,
    texts: own.texts,
    latest: own.latest,
    isNews: toSave.nested.length + toSave.own.length > 0,
    boundary,
  };
}

function knownOf(verdicts: readonly Verdict[]): Known[] {
  return verdicts.flatMap(({ known }) => known ?? []);
}

/** The nested lists of all entities, each with its parent as seen and as known. */
function listsOf(
  parents: readonly SeenWithNested[],
  known: ReadonlyMap<EntityKey, Known>,
): ListOfParent[] {
  const lists: ListOfParent[] = [];
  for (const { seen, lists: nested } of parents) {
    for (const list of nested) lists.push({ parent: seen, knownParent: known.get(seen.key), list });
  }
  return lists;
}

/** What the entities of the list come to. One loop: mostly nothing has changed. */
function workOutOwn(
  parents: readonly SeenWithNested[],
  known: ReadonlyMap<EntityKey, Known>,
  silent: boolean,
  isProjects: boolean,
) {
  const toSave: Known[] = [];
  const changes: Change[] = [];
  const latest: LatestState[] = [];
  const texts = new Map<JsonObject, string>();
  for (const { entity, seen, json } of parents) {
    const before = known.get(seen.key);
    const verdict = diff(before, seen, silent);
    if (verdict.known !== undefined) {
      toSave.push(verdict.known);
      if (json !== undefined && mayStandFor(seen.object, json)) texts.set(seen.object, json);
    }
    if (verdict.change !== undefined) changes.push(verdict.change);
    const changed = verdict.change !== undefined;
    if (isProjects) latest.push({ entity, deleted: isDeleted(seen, before), changed });
  }
  return { known: toSave, changes, texts, latest };
}

function isDeleted(seen: Seen, known: Known | undefined): boolean {
  const isStale = known !== undefined && compareTimestamps(seen.version, known.version) < 0;
  return isStale ? known.deleted : seen.deletedAt !== null;
}

/** The entities of a page; of one that is there twice, the later version. */
function seenOnPage(page: Page, feed: Feed, resource: Resource): SeenWithNested[] {
  const byKey = new Map<EntityKey, SeenWithNested>();
  const listPath = feedPath(resource, feed.projectId);
  page.entities.forEach((entity, i) => {
    const item = seenWithNested(entity, page.texts?.[i], listPath, resource);
    if (!isSuperseded(item.seen, byKey.get(item.seen.key)?.seen)) byKey.set(item.seen.key, item);
  });
  return [...byKey.values()];
}

function seenWithNested(
  entity: Entity,
  json: string | undefined,
  listPath: string,
  resource: Resource,
): SeenWithNested {
  const subject = `${listPath}/${entity.id}`;
  const lists = nestedLists(resource, entity, subject);
  const key = entityKey(resource.entity, entity.id);
  const seen = seenFrom({ key, entity: resource.entity, id: entity.id, subject }, entity);
  if (lists.length === 0) return new SeenWithNested(entity, seen, lists, json);
  const fields = new Set(lists.map((list) => list.resource.field));
  const withoutLists: Seen = {
    ...seen,
    object: Object.fromEntries(Object.entries(entity).filter(([field]) => !fields.has(field))),
    nested: Object.fromEntries(lists.map((list) => [list.resource.name, list.digest])),
  };
  return new SeenWithNested(entity, withoutLists, lists);
}
