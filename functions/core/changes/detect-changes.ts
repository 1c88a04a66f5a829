import { entityKey, type EntityKey, type EntityState } from '../model/entity-state.ts';
import { depthReason, idOf, type Entity, type InvalidEntity } from '../model/entity.ts';
import { feedPath, isProjectsFeed, isSilent, type Feed } from '../model/feed.ts';
import { cutToDepth } from '../model/json/depth.ts';
import { ownObject } from '../model/nested-entities.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { earlierOf, type Timestamp } from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import type { StateStore } from '../ports/state-store.ts';
import { boundaryDigest, skipBoundary, type ObservedPage } from './boundary-digest.ts';
import { diff } from './diff.ts';
import type { StateGroups } from './groups.ts';
import { deduplicate, notYetKept, workOn } from './invalid-entity.ts';
import type { ListContext, ObservedList } from './list-changes.ts';
import { withTimeOfSight, type AnswerAge } from './missing/answer-age.ts';
import { isBackTooEarly } from './missing/is-back-too-early.ts';
import { detectNestedChanges } from './nested-changes.ts';
import { nestedLists, type NestedList } from './nested-lists.ts';
import { isOutdated, observe, type ObservedEntity } from './observed-entity.ts';
import { isPending, replayFromOutbox } from './outbox.ts';
import type { PageChanges } from './page/page-changes.ts';
import { projectStates } from './page/project-states.ts';
import { tell, type ToEvent, type ToldChange } from './tell.ts';

/** Nested items that are loaded, published and saved at once; more than most pages change. */
const GROUP_SIZE = 200;

export interface DetectOptions {
  /** The cursor at which the list is caught up with this page, if it is. */
  readonly caughtUpAt: Timestamp | undefined;
  /** See {@link AnswerAge}. */
  readonly lookbackMs: number;
  readonly toEvent: ToEvent;
  /** See {@link diff}. Absent: no delete is one of long ago. */
  readonly longAgo?: Timestamp | undefined;
  /** Maximum number of nested items to load at once; default 200. */
  readonly groupSize?: number | undefined;
  /** Also compares nested lists that look as they did when they were last compared. */
  readonly comparesAllLists?: boolean | undefined;
  /** Bounds the states that are loaded at once. Absent: those of the whole page are. */
  readonly stateGroups?: StateGroups;
}

/** What a group of entities is compared with. */
interface GroupContext {
  readonly page: Page;
  readonly feed: Feed;
  readonly store: StateStore;
  readonly options: DetectOptions;
}

const NO_CHANGES = { states: [], changes: [], invalid: [], readAgainFrom: undefined };

/**
 * Compares a page with the stored states. Saves and publishes nothing.
 *
 * Most pages have one part. One whose states are large, or with many changes of nested items, has several:
 * entities come in groups, see {@link StateGroups}, and the changes of a group's own entities are in its last part,
 * since a saved parent says that its nested entities are saved. Publish and save a part before you ask for the
 * next one.
 */
export async function* detectChanges(
  page: Page,
  feed: Feed,
  resource: Resource,
  store: StateStore,
  options: DetectOptions,
): AsyncGenerator<PageChanges> {
  const { caughtUpAt, stateGroups } = options;
  const observed = observePage(page, feed, resource);
  const boundary = caughtUpAt === undefined ? undefined : boundaryDigest(observed, caughtUpAt);
  const { entities, invalid: found } = skipBoundary(observed, feed);
  const progress = {
    isNews: false,
    isUndecided: false,
    readAgainFrom: undefined as Timestamp | undefined,
  };
  let left = found;
  let start = 0;
  do {
    const count = stateGroups?.countOf(resource.name) ?? entities.length;
    const group = entities.slice(start, start + count);
    start += group.length;
    const states = await loadStates(group, feed, store);
    if (group.length > 0) stateGroups?.record(resource.name, group.length, states);
    for await (const part of detectGroup(group, states, { page, feed, store, options })) {
      const invalid = await notYetKept([...left, ...part.invalid], feed, store);
      left = [];
      progress.isNews ||= part.states.nested.length + part.states.own.length + invalid.length > 0;
      progress.isUndecided ||= part.isUndecided;
      progress.readAgainFrom = earlierOf(progress.readAgainFrom, part.readAgainFrom);
      const isLast = part.isLast && start >= entities.length;
      yield { ...part, ...progress, invalid, boundary, isLast };
    }
  } while (start < entities.length);
}

async function loadStates(
  entities: readonly ObservedEntity[],
  feed: Feed,
  store: StateStore,
): Promise<ReadonlyMap<EntityKey, EntityState>> {
  const keys = entities.map(({ key }) => key);
  return keys.length > 0 ? store.loadStates(feed.id, keys) : new Map<EntityKey, EntityState>();
}

/** Compares a group of entities, their nested items before them. */
async function* detectGroup(
  entities: readonly ObservedEntity[],
  states: ReadonlyMap<EntityKey, EntityState>,
  { page, feed, store, options }: GroupContext,
): AsyncGenerator<Omit<PageChanges, 'isNews' | 'boundary'>> {
  const { lookbackMs, groupSize = GROUP_SIZE } = options;
  const { readAfter: readAt, readBefore, requestedAt } = page;
  const answer: AnswerAge = { readAt, readBefore, requestedAt, lookbackMs };
  const context = { ...options, feed, store, answer, groupSize };
  let [isUndecided, readAgainFrom] = [false, undefined as Timestamp | undefined];
  const unsaved = new Set<NestedList>();
  let known = states;
  for await (const nested of detectNestedChanges(listsOf(entities, states), context)) {
    isUndecided ||= nested.undecided.length > 0;
    readAgainFrom = earlierOf(readAgainFrom, nested.readAgainFrom);
    for (const list of [...nested.undecided, ...nested.withInvalid]) unsaved.add(list);
    // As they are saved by then: the digests must follow the marks.
    if (nested.outbox.parents.length > 0) {
      known = new Map([
        ...known,
        ...nested.outbox.parents.map((state) => [state.key, state] as const),
      ]);
    }
    const toSave =
      unsaved.size === 0 ? entities : entities.map((each) => withoutLists(each, unsaved));
    const own = nested.isLast ? detectOwnChanges(toSave, known, context) : NO_CHANGES;
    const isOfProjects = nested.isLast && isProjectsFeed(feed);
    yield {
      outbox: nested.outbox,
      changes: [...own.changes, ...nested.diffs.flatMap(({ change }) => change ?? [])],
      invalid: [...nested.invalid, ...own.invalid],
      states: { nested: nested.diffs.flatMap(({ state }) => state ?? []), own: own.states },
      projects: isOfProjects ? projectStates(entities, states, own.changes, answer) : [],
      isUndecided: isUndecided || own.readAgainFrom !== undefined,
      readAgainFrom: earlierOf(own.readAgainFrom, readAgainFrom),
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
  { feed, answer, toEvent, longAgo }: ListContext,
) {
  const toSave: EntityState[] = [];
  const changes: ToldChange[] = [];
  const invalid: InvalidEntity[] = [];
  let readAgainFrom: Timestamp | undefined;
  for (const observed of entities) {
    workOn(observed.object, invalid, () => {
      const before = states.get(observed.key);
      if (isBackTooEarly(observed, before, answer)) {
        readAgainFrom = earlierOf(readAgainFrom, observed.version);
        return;
      }
      // Its delete may be untold: nobody is told that it is back before that.
      const replayed = isPending(before) ? replayFromOutbox(before, observed) : undefined;
      const pending = replayed && tell(replayed, toEvent);
      const isBaseline = isSilent(feed, observed.version);
      const found = tell(diff(replayed?.state ?? before, observed, isBaseline, longAgo), toEvent);
      const state = found.state ?? pending?.state;
      if (state !== undefined) toSave.push(withTimeOfSight(state, answer));
      if (pending?.change) changes.push(pending.change);
      if (found.change) changes.push(found.change);
    });
  }
  return { states: toSave, changes, invalid, readAgainFrom };
}

/** The entity without the digests of these lists. */
function withoutLists(observed: ObservedEntity, lists: ReadonlySet<NestedList>): ObservedEntity {
  return { ...observed, lists: observed.lists.filter((list) => !lists.has(list)) };
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
    const id = idOf(entity);
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
