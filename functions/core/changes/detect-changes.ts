import { entityKey, type EntityKey, type EntityState } from '../model/entity-state.ts';
import { depthReason, type Entity, type InvalidEntity } from '../model/entity.ts';
import { feedPath, isSilent, type Feed } from '../model/feed.ts';
import type { ProjectState } from '../model/project-state.ts';
import { cutToDepth } from '../model/json.ts';
import { ownObject, type Resource } from '../model/resource-catalog.ts';
import { compareTimestamps, earlierOf, type Timestamp } from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import type { StateStore } from '../ports/state-store.ts';
import { boundaryDigest, skipBoundary, type ObservedPage } from './boundary-digest.ts';
import { diff } from './diff.ts';
import { deduplicate, notYetKept, workOn } from './invalid-entity.ts';
import type { AnswerAge, ListContext, ObservedList } from './list-changes.ts';
import { detectNestedChanges, type OutboxStates } from './nested-changes.ts';
import { nestedLists, type NestedList } from './nested-lists.ts';
import { isOutdated, observe, type ObservedEntity } from './observed-entity.ts';
import { tell, type ToEvent, type ToldChange } from './tell.ts';

/** Nested items that are loaded, published and saved at once; more than most pages change. */
const GROUP_SIZE = 200;

/** The changes found in a part of a page, in the order they must be published and saved. */
export interface PageChanges {
  /** To be saved before the changes are published. */
  readonly outbox: OutboxStates;
  readonly changes: readonly ToldChange[];
  /** Invalid entities that are not yet in the quarantine. */
  readonly invalid: readonly InvalidEntity[];
  /** To be saved nested first: a saved parent says that its nested entities are saved. */
  readonly states: {
    readonly nested: readonly EntityState[];
    readonly own: readonly EntityState[];
  };
  /** Of the projects' list: the state of each project on the page. */
  readonly projects: readonly ProjectState[];
  /** True when there is any state to save, or an invalid entity to remember, in this part or one before. */
  readonly isNews: boolean;
  /** True when a nested list must be compared again: then the feed is not caught up. */
  readonly isUndecided: boolean;
  /** See {@link Feed.boundary}; set when the list is caught up. */
  readonly boundary: string | undefined;
  /** True when the cursor may advance once this part is saved. */
  readonly isLast: boolean;
}

export interface DetectOptions {
  /** The cursor at which the list is caught up with this page, if it is. */
  readonly caughtUpAt: Timestamp | undefined;
  /** See {@link AnswerAge}. */
  readonly lookbackMs: number;
  readonly toEvent: ToEvent;
  /** What was deleted no later than this may be forgotten: then it has no state. */
  readonly forgottenBefore?: Timestamp | undefined;
  /** Maximum number of nested items to load at once; default 200. */
  readonly groupSize?: number | undefined;
}

const NO_CHANGES = { states: [], changes: [], invalid: [] };

/**
 * Compares a page with the stored states. Saves and publishes nothing.
 *
 * Most pages have one part. One with many changes of nested items has several, and the changes of its own
 * entities are in the last, since a saved parent says that its nested entities are saved. Publish and save a part
 * before you ask for the next one.
 */
export async function* detectChanges(
  page: Page,
  feed: Feed,
  resource: Resource,
  store: StateStore,
  { caughtUpAt, lookbackMs, toEvent, forgottenBefore, groupSize = GROUP_SIZE }: DetectOptions,
): AsyncGenerator<PageChanges> {
  const observed = observePage(page, feed, resource);
  const boundary = caughtUpAt === undefined ? undefined : boundaryDigest(observed, caughtUpAt);
  const { entities, invalid: found } = skipBoundary(observed, feed);
  const keys = entities.map(({ key }) => key);
  const states =
    keys.length > 0 ? await store.loadStates(feed.id, keys) : new Map<string, EntityState>();
  const answer: AnswerAge = { readAt: page.readAfter, lookbackMs };
  const context = { feed, store, answer, toEvent, groupSize, forgottenBefore };
  const undecided = new Set<NestedList>();
  let left = found;
  let isNews = false;
  for await (const nested of detectNestedChanges(listsOf(entities, states), context)) {
    for (const list of nested.undecided) undecided.add(list);
    const decided =
      undecided.size === 0 ? entities : entities.map((each) => withoutLists(each, undecided));
    const own = nested.isLast ? detectOwnChanges(decided, states, context) : NO_CHANGES;
    const invalid = await notYetKept([...left, ...nested.invalid, ...own.invalid], feed, store);
    left = [];
    const nestedStates = nested.diffs.flatMap(({ state }) => state ?? []);
    isNews ||= nestedStates.length + own.states.length + invalid.length > 0;
    yield {
      outbox: nested.outbox,
      changes: [...own.changes, ...nested.diffs.flatMap(({ change }) => change ?? [])],
      invalid,
      states: { nested: nestedStates, own: own.states },
      projects: feed.projectId === undefined ? projectStates(entities, states, own.changes) : [],
      isNews,
      isUndecided: undecided.size > 0,
      boundary,
      isLast: nested.isLast,
    };
  }
}

function listsOf(
  parents: readonly ObservedEntity[],
  states: ReadonlyMap<EntityKey, EntityState>,
): ObservedList[] {
  const lists: ObservedList[] = [];
  for (const parent of parents) {
    for (const list of parent.lists) {
      lists.push({ parent, parentState: states.get(parent.key), list });
    }
  }
  return lists;
}

/** Compares the entities of the list. One loop, since most are unchanged. */
function detectOwnChanges(
  entities: readonly ObservedEntity[],
  states: ReadonlyMap<EntityKey, EntityState>,
  { feed, toEvent, forgottenBefore }: Pick<ListContext, 'feed' | 'toEvent' | 'forgottenBefore'>,
) {
  // What lies behind the cursor was told. An event of what lies ahead may be all that is known of it.
  const toldBefore = feed.cursor && forgottenBefore && earlierOf(feed.cursor, forgottenBefore);
  const toSave: EntityState[] = [];
  const changes: ToldChange[] = [];
  const invalid: InvalidEntity[] = [];
  for (const observed of entities) {
    workOn(observed.object, invalid, () => {
      const before = states.get(observed.key);
      const isBaseline = isSilent(feed, observed.version);
      const found = diff(before, observed, isBaseline, toldBefore);
      const { change, state } = tell(found, toEvent);
      if (state !== undefined) toSave.push(state);
      if (change !== undefined) changes.push(change);
    });
  }
  return { states: toSave, changes, invalid };
}

/** The entity without the digests of these lists. */
function withoutLists(observed: ObservedEntity, lists: ReadonlySet<NestedList>): ObservedEntity {
  return { ...observed, lists: observed.lists.filter((list) => !lists.has(list)) };
}

function projectStates(
  projects: readonly ObservedEntity[],
  states: ReadonlyMap<EntityKey, EntityState>,
  changes: readonly ToldChange[],
): ProjectState[] {
  const changed = new Set(changes.map(({ id }) => id));
  return projects.map((project) => {
    const saved = states.get(project.key);
    return {
      entity: project.object,
      deleted: isDeleted(project, saved),
      changed: changed.has(project.id),
      ...(saved && { saved }),
    };
  });
}

function isDeleted(observed: ObservedEntity, state: EntityState | undefined): boolean {
  const isStale = state !== undefined && compareTimestamps(observed.version, state.version) < 0;
  return isStale ? state.deleted : observed.deletedAt !== null;
}

/** The contents of a page without duplicates: the latest version of each entity counts. */
function observePage(page: Page, feed: Feed, resource: Resource): ObservedPage {
  const byKey = new Map<EntityKey, ObservedEntity>();
  const listPath = feedPath(resource, feed.projectId);
  const invalid = [...page.invalid];
  const observeOwn = (entity: Entity): ObservedEntity | undefined => {
    const object = ownObject(resource, entity);
    const reason = depthReason(object);
    if (reason !== undefined) {
      invalid.push({ value: cutToDepth(entity), reason });
      return undefined;
    }
    const { id } = entity;
    const subject = `${listPath}/${id}`;
    const identity = { key: entityKey(resource.entity, id), entity: resource.entity, id, subject };
    return observe(identity, object, nestedLists(resource, entity, subject));
  };
  for (const entity of page.entities) {
    const observed = workOn(entity, invalid, observeOwn);
    if (observed && !isOutdated(observed, byKey.get(observed.key)))
      byKey.set(observed.key, observed);
  }
  return { entities: [...byKey.values()], invalid: deduplicate(invalid) };
}
