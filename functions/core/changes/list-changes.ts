import {
  childPrefix,
  entityKey,
  outboxMark,
  PARENT,
  type EntityKey,
  type EntityState,
} from '../model/entity-state.ts';
import type { InvalidEntity } from '../model/entity.ts';
import { isSilent, type Feed } from '../model/feed.ts';
import {
  compareTimestamps,
  isAfter,
  laterOf,
  shiftTimestamp,
  type Timestamp,
} from '../model/timestamp.ts';
import type { ChildVersion } from '../ports/state-store.ts';
import { diff, diffMissing, type Diff } from './diff.ts';
import { workOn } from './invalid-entity.ts';
import { sightingOf, withTimeOfSight, type AnswerAge } from './missing/answer-age.ts';
import { isNewerThanKnown, knownVersions } from './missing/known-versions.ts';
import type { NestedList } from './nested-lists.ts';
import type { Identity, ObservedEntity } from './observed-entity.ts';
import { addToOutbox, diffFromOutbox, isPending, replayFromOutbox } from './outbox.ts';
import { tell, type ToEvent, type ToldDiff } from './tell.ts';

/** The list's feed, and how its items are compared. */
export interface ListContext {
  readonly feed: Feed;
  readonly answer: AnswerAge;
  readonly toEvent: ToEvent;
  /** See {@link diff}. */
  readonly longAgo?: Timestamp | undefined;
}

/** A nested list with its observed parent and the parent's state. */
export interface ObservedList {
  readonly parent: ObservedEntity;
  readonly parentState: EntityState | undefined;
  readonly list: NestedList;
}

export interface DifferingList extends ObservedList {
  readonly observed: ReadonlyMap<EntityKey, ObservedEntity>;
  /** Stored items that are not deleted; those that are missing only if that says something. */
  readonly live: ReadonlyMap<EntityKey, ChildVersion>;
  readonly invalid: readonly InvalidEntity[];
}

/** A list with those of its items that one group compares. */
export interface ListPart extends DifferingList {
  readonly keys: readonly EntityKey[];
}

/** The changes found in a part of a list. */
export interface ListChanges {
  readonly diffs: readonly ToldDiff[];
  readonly invalid: readonly InvalidEntity[];
  /** Changes whose events may have been published. If there are any, they must be told unchanged first. */
  readonly pending: readonly ToldDiff[];
  readonly outbox: readonly EntityState[];
  readonly isDecided: boolean;
  /**
   * True when the cursor must not pass the version of the parent before the list is decided, some lookbacks later: an item
   * may be stamped later than the version that lacks it.
   */
  readonly mustBeReadAgain: boolean;
}

/**
 * An item may be stamped, or shown, a lookback after the version that lacks it, as copies lag, and some seconds more, as an
 * answer takes its time. It is certain a lookback later. One more is to spare, and a minute where the lookback is short.
 */
const LOOKBACKS_TO_DECIDE = 3;
const ANSWER_MS = 60_000;

/** Compares the items of a part of a list with their states. */
export function detectListChanges(
  item: ListPart,
  states: ReadonlyMap<EntityKey, EntityState>,
  context: ListContext,
): ListChanges {
  const { feed, answer, toEvent, longAgo } = context;
  const { parent, list, observed } = item;
  const invalid: InvalidEntity[] = [];
  const diffs: ToldDiff[] = [];
  const pending: ToldDiff[] = [];
  let [isDecided, mustBeReadAgain] = [true, false];
  const add = ({ change, state }: Diff): void => {
    const sighted = state && withParentMark(withTimeOfSight(state, answer), item, answer);
    diffs.push(tell({ ...(change && { change }), ...(sighted && { state: sighted }) }, toEvent));
  };
  for (const key of item.keys) {
    const child = observed.get(key);
    const state = states.get(key);
    if (saysNothing(item, child, state)) continue;
    workOn(child?.object ?? { id: key }, invalid, () => {
      const isUndecided = state !== undefined && mayBeOutdated(item, child, state, answer);
      if (isUndecided) {
        isDecided = false;
        mustBeReadAgain ||= isDecidedSoon(item, answer);
      }
      const identity = identityOfKey(key, item);
      if (isPending(state)) {
        const replayed = replayFromOutbox(state, identity, child);
        if (replayed) pending.push(tell(replayed, toEvent));
        else if (!isUndecided && (child ?? item.invalid.length === 0))
          add(diffFromOutbox(state, identity, child, parent.version));
        return;
      }
      if (isUndecided) return;
      const found = child
        ? diff(state, child, isSilent(feed, child.version), longAgo)
        : state && diffMissing(state, identity, parent.version);
      if (found) add(found);
    });
  }
  // Also beside an invalid item: after a crash the others may be gone.
  const outbox = list.resource.holds === 'list' ? diffs.flatMap(addToOutbox) : [];
  return { diffs, outbox, pending, invalid, isDecided, mustBeReadAgain };
}

/**
 * While its parent has no state, an item has the mark of the version that showed or lacked it: a run may die before it
 * saves the parent, and an older answer may come then. Later the parent has such a mark itself.
 */
function withParentMark(
  found: EntityState,
  { parent, parentState, list }: ListPart,
  answer: AnswerAge,
): EntityState {
  if (list.resource.holds !== 'list') return found;
  const { nested: _, ...state } = found;
  if (parentState !== undefined) return state;
  return { ...state, nested: { [PARENT]: outboxMark(sightingOf(parent.version, answer)) } };
}

/** Beside an invalid item a missing one says nothing, but its pending event must be told. */
function saysNothing(
  { invalid }: ListPart,
  child: ObservedEntity | undefined,
  state: EntityState | undefined,
): boolean {
  return invalid.length > 0 && child === undefined && state?.pendingEvent === undefined;
}

/**
 * Whether an item is missing, back, or pending and older than its state, although the answer may be older
 * than that. The first two have no timestamp of their own, and that of the third may have stepped back.
 */
function mayBeOutdated(
  item: ObservedList,
  child: ObservedEntity | undefined,
  state: EntityState,
  answer: AnswerAge,
): boolean {
  const { parent, parentState } = item;
  const { version, deleted, missing, pendingEvent } = state;
  const isMissing = child === undefined && !deleted;
  const isBack = child?.deletedAt === null && missing === true;
  const isOlder = child !== undefined && compareTimestamps(child.version, version) < 0;
  if (!isMissing && !isBack && !(isOlder && pendingEvent !== undefined)) return false;
  const known = knownVersions(state, parentState, item.list.resource.name);
  // Without the service's clock only versions tell, while the parent has no state: the parent's, or else the item's.
  if (parentState === undefined && answer.readAt === undefined) {
    const before = known.parent?.version;
    const isLater = before !== undefined && isAfter(parent.version, before);
    const latest = laterOf(before, version) ?? version;
    return !isLater && isAfter(latest, parent.version);
  }
  return !isNewerThanKnown(parent.version, known, answer);
}

/**
 * Whether some lookbacks decide a list. One that is undecided for longer, since its items come and go, does not hold up the
 * others.
 */
function isDecidedSoon({ parent }: ObservedList, { readAt, lookbackMs }: AnswerAge): boolean {
  const from = readAt && shiftTimestamp(readAt, -LOOKBACKS_TO_DECIDE * lookbackMs - ANSWER_MS);
  return from !== undefined && isAfter(parent.version, from);
}

export function identityOf(id: string, { parent, list }: ObservedList): Identity {
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

export function prefixOf({ parent, list }: ObservedList): string {
  return childPrefix(list.resource.entity, parent.id);
}
