import {
  isOlderThanOutbox,
  markedVersion,
  outboxMark,
  type EntityKey,
  type EntityState,
} from '../model/entity-state.ts';
import { idOf, type InvalidEntity } from '../model/entity.ts';
import { compareTimestamps, earliestOf, type Timestamp } from '../model/timestamp.ts';
import type { StateStore } from '../ports/state-store.ts';
import { chunksOf, type StateGroups } from './groups.ts';
import { workOn } from './invalid-entity.ts';
import {
  detectListChanges,
  identityOf,
  prefixOf,
  type DifferingList,
  type ListChanges,
  type ListContext,
  type ListPart,
  type ObservedList,
} from './list-changes.ts';
import { sightingOf, type AnswerAge } from './missing/answer-age.ts';
import { isStale } from './missing/is-stale.ts';
import type { NestedList } from './nested-lists.ts';
import { isOutdated, observe, type ObservedEntity } from './observed-entity.ts';
import type { ToldDiff } from './tell.ts';

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

/** The changes found in one group of nested items. */
export interface NestedChanges {
  readonly diffs: readonly ToldDiff[];
  /**
   * To be saved before publishing: an item that is gone when the page is re-read after a crash leaves
   * no other trace of its published event.
   */
  readonly outbox: OutboxStates;
  /** Invalid items, in the quarantine or not. */
  readonly invalid: readonly InvalidEntity[];
  /**
   * Lists in which an item is missing or back, in an answer that may be older than what is known. They
   * must be compared again, so their digests must not be saved.
   */
  readonly undecided: readonly NestedList[];
  /** The earliest version of parents that the cursor must not pass: see {@link ListChanges.mustBeReadAgain}. */
  readonly readAgainFrom: Timestamp | undefined;
  /**
   * Lists with invalid items. Their digests must not be saved either: as soon as nobody remembers any more that an
   * item was quarantined, the same list must be compared again.
   */
  readonly withInvalid: readonly NestedList[];
  /** True when all lists are compared. */
  readonly isLast: boolean;
}

/** The page's feed, and how it is compared. */
export interface NestedContext extends ListContext {
  readonly store: Pick<StateStore, 'loadStates' | 'loadLiveChildren'>;
  /** See {@link DetectOptions.comparesAllLists}. */
  readonly comparesAllLists?: boolean | undefined;
  /** Maximum number of lists, and of items to load, in a group. */
  readonly groupSize: number;
  /** Bounds the states of items that are loaded at once. */
  readonly stateGroups?: StateGroups | undefined;
}

/** An item of a list, to be compared. */
interface ListItem {
  readonly list: DifferingList;
  readonly key: EntityKey;
}

/** Lists whose keys are loaded at the same time. */
const LISTS_AT_ONCE = 10;

/**
 * With so many keys in memory no further lists are compared: no page shows how many items are missing. A key takes some 280
 * bytes, and as many lists of checklists are polled side by side as config allows.
 */
const MAX_KEYS = 5_000;

/** The kind of group for {@link StateGroups}: a group may have items of several lists. */
const NESTED = 'nested items';

const NOTHING: NestedChanges = {
  diffs: [],
  outbox: { parents: [], items: [] },
  invalid: [],
  undecided: [],
  readAgainFrom: undefined,
  withInvalid: [],
  isLast: false,
};

/**
 * Compares nested lists with the stored states. Skips a list whose digest is saved with its parent, and
 * a list from an answer older than the parent's state, which may lack items that exist by now.
 *
 * Reads only keys and versions of the items that are not deleted, and whole states only of items that
 * differ: a checklist may have had thousands of items that were deleted long ago. Items that are missing do not
 * count in the size of the page, and any item may have been larger, so they are loaded in groups: publish and save
 * each before you ask for the next.
 * The changes that a run which died may have published come first, as a group of their own.
 */
export async function* detectNestedChanges(
  lists: readonly ObservedList[],
  context: NestedContext,
): AsyncGenerator<NestedChanges> {
  const { groupSize, stateGroups } = context;
  const marked = new Map<EntityKey, EntityState>();
  const all = lists.filter((list) => differs(list, context));
  for (let compared = 0; compared < all.length;) {
    const differing = await compareSome(all.slice(compared, compared + groupSize), context);
    compared += differing.length;
    const items = differing.flatMap((list) => keysToCompare(list).map((key) => ({ list, key })));
    let start = 0;
    // At least one group: a list without an item to compare may have invalid ones.
    do {
      const isFirst = start === 0;
      const count = Math.min(groupSize, stateGroups?.countOf(NESTED) ?? groupSize);
      const group = partsOf(items.slice(start, start + count));
      start += count;
      let results = await detectGroup(group, context);
      const pending = results.flatMap((found) => found.pending);
      if (pending.length > 0) {
        yield { ...NOTHING, diffs: pending };
        results = await detectGroup(group, context);
      }
      const invalid = isFirst ? differing.flatMap((item) => item.invalid) : [];
      const unreadable = isFirst ? differing.filter((item) => item.invalid.length > 0) : [];
      const unworkable = group.filter((_, i) => (results[i]?.invalid.length ?? 0) > 0);
      yield {
        diffs: results.flatMap(({ diffs }) => diffs),
        outbox: {
          parents: withOutboxMarks(
            group.filter((_, i) => (results[i]?.outbox.length ?? 0) > 0),
            marked,
            context.answer,
          ),
          items: results.flatMap(({ outbox }) => outbox),
        },
        invalid: [...invalid, ...results.flatMap((found) => found.invalid)],
        undecided: group.flatMap(({ list }, i) => (results[i]?.isDecided === false ? list : [])),
        readAgainFrom: earliestOf(
          group.flatMap(({ parent }, i) => (results[i]?.mustBeReadAgain ? parent.version : [])),
        ),
        withInvalid: [...unreadable, ...unworkable].map(({ list }) => list),
        isLast: compared === all.length && start >= items.length,
      };
    } while (start < items.length);
  }
  if (all.length === 0) yield { ...NOTHING, isLast: true };
}

/** Compares the versions of the first of these lists: as many as fit into memory. */
async function compareSome(
  lists: readonly ObservedList[],
  context: NestedContext,
): Promise<readonly DifferingList[]> {
  const differing: DifferingList[] = [];
  let keyCount = 0;
  for (const some of chunksOf(lists, LISTS_AT_ONCE)) {
    const compared = await Promise.all(some.map((list) => compareVersions(list, context)));
    differing.push(...compared);
    for (const { live } of compared) keyCount += live.size;
    if (keyCount >= MAX_KEYS) break;
  }
  return differing;
}

async function compareVersions(
  item: ObservedList,
  { feed, store }: NestedContext,
): Promise<DifferingList> {
  const invalid = [...item.list.invalid];
  const observed = observeList(item, invalid);
  const isComplete = invalid.length === 0;
  // A parent without a state may have items, too, if a run died before it saved the parent.
  const isList = item.list.resource.holds === 'list';
  const stored = isList ? await store.loadLiveChildren(feed.id, prefixOf(item)) : [];
  // See saysNothing.
  const live = stored.filter((c) => isComplete || c.isPending || observed.has(c.key));
  return { ...item, observed, live: new Map(live.map((c) => [c.key, c])), invalid };
}

/** The lists of these items, each with those of its items that are among them. */
function partsOf(items: readonly ListItem[]): ListPart[] {
  return Array.from(
    Map.groupBy(items, ({ list }) => list),
    ([list, parts]) => ({ ...list, keys: parts.map(({ key }) => key) }),
  );
}

async function detectGroup(
  group: readonly ListPart[],
  context: NestedContext,
): Promise<ListChanges[]> {
  const keys = group.flatMap((part) => part.keys);
  if (keys.length === 0) return [];
  const states = await context.store.loadStates(context.feed.id, keys);
  context.stateGroups?.record(NESTED, keys.length, states);
  return group.map((part) => detectListChanges(part, states, context));
}

function differs(
  { parent, parentState, list }: ObservedList,
  { answer, comparesAllLists = false }: NestedContext,
): boolean {
  if (parentState === undefined) return true;
  const digest = parentState.nested?.[list.resource.name];
  if (isStale(parent, parentState, answer) || isOlderThanOutbox(parent.version, digest))
    return false;
  return comparesAllLists || digest !== list.digest;
}

/** Keys of the items that are new, changed, missing or pending. */
function keysToCompare({ observed, live }: DifferingList): EntityKey[] {
  const shown = [...observed.values()].filter(
    (child) => mayDiffer(child, live) || live.get(child.key)?.isPending === true,
  );
  const missing = [...live.keys()].filter((key) => !observed.has(key));
  return [...shown.map(({ key }) => key), ...missing];
}

function mayDiffer({ key, version }: ObservedEntity, live: DifferingList['live']): boolean {
  const stored = live.get(key);
  return stored === undefined || compareTimestamps(version, stored.version) > 0;
}

/**
 * The states of the lists' parents, with marks in place of the digests of these lists.
 *
 * @param marked the states that earlier groups have marked; they need no second mark.
 */
function withOutboxMarks(
  lists: readonly ObservedList[],
  marked: Map<EntityKey, EntityState>,
  answer: AnswerAge,
): EntityState[] {
  const states = new Map<EntityKey, EntityState>();
  for (const { parent, parentState, list } of lists) {
    const state = marked.get(parent.key) ?? parentState;
    const { name } = list.resource;
    if (state === undefined) continue;
    // The first time of sight counts.
    if (markedVersion(state.nested?.[name])?.version === parent.version) continue;
    const nested = { ...state.nested, [name]: outboxMark(sightingOf(parent.version, answer)) };
    states.set(parent.key, { ...state, nested });
    marked.set(parent.key, { ...state, nested });
  }
  return [...states.values()];
}

function observeList(item: ObservedList, invalid: InvalidEntity[]): Map<EntityKey, ObservedEntity> {
  const byKey = new Map<EntityKey, ObservedEntity>();
  for (const entity of item.list.entities) {
    const observed = workOn(entity, invalid, () => observe(identityOf(idOf(entity), item), entity));
    if (observed && !isOutdated(observed, byKey.get(observed.key)))
      byKey.set(observed.key, observed);
  }
  return byKey;
}
