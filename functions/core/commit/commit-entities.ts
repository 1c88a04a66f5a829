import {
  detectChanges,
  detectDeletes,
  detectItemChanges,
  type CompareOptions,
  type Detection,
} from '../changes/detect-changes.ts';
import { pageDigest } from '../changes/digest.ts';
import type { NestedList } from '../changes/nested-list.ts';
import { findItems, listsToCompare, type ObservedList } from '../changes/nested.ts';
import { observePage, type Identity, type ObservedEntity } from '../changes/observe.ts';
import { chunksOf } from '../model/chunks.ts';
import type { EntityState } from '../model/entity-state.ts';
import { isProjectsFeed } from '../model/feed.ts';
import { isoTime, type Timestamp } from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import type { CommitContext, CommitTarget } from './commit-context.ts';
import { eventMakerOf } from './event-maker.ts';
import { loadStates, publish, publishAndSave, save } from './publish.ts';
import { quarantineEntities } from './quarantine-entity.ts';
import { deletedProjects, projectStates, syncFeeds } from './sync-feeds.ts';

/** Entities, or nested items, that are compared and saved at once; more than most pages change. */
const GROUP_SIZE = 1000;

/** What came of a page. */
export interface Committed {
  /** Times of the changes. */
  readonly times: readonly Timestamp[];
  /** Whether it showed anything that was not known. */
  readonly isNews: boolean;
  /** See {@link pageDigest}. */
  readonly digest: string | undefined;
}

/** The commit of one page, while it is under way. */
interface Work {
  readonly target: CommitTarget;
  readonly context: CommitContext;
  readonly compare: CompareOptions;
  readonly groupSize: number;
  readonly times: Timestamp[];
  isNews: boolean;
  hasInvalid: boolean;
}

/**
 * Compares the entities of a page with their states, publishes the changes and saves the states,
 * nested items before their parents. The feed stays as it is. A page that the feed knows by its
 * digest is not compared.
 *
 * @param isWhole whether the list is read whole, see {@link CompareOptions}.
 */
export async function commitEntities(
  page: Pick<Page, 'entities' | 'invalid'>,
  target: CommitTarget,
  context: CommitContext,
  isWhole = false,
): Promise<Committed> {
  const { feed, resource } = target;
  const observed = observePage(page, feed, resource);
  const digest = pageDigest(observed);
  const isEmpty = observed.entities.length + observed.invalid.length === 0;
  const isKnown = digest !== undefined && digest === feed.digest && !isWhole;
  if (isEmpty || isKnown) return { times: [], isNews: false, digest: feed.digest };
  const { options, ports } = context;
  const now = ports.clock.now();
  const work: Work = {
    target,
    context,
    compare: {
      feed,
      toEvent: eventMakerOf(target, context),
      longAgo: isoTime(now - options.retentionMs),
      wholeAt: isWhole ? isoTime(now) : undefined,
    },
    groupSize: options.groupSize ?? GROUP_SIZE,
    times: [],
    isNews: false,
    hasInvalid: false,
  };
  await note({ detected: [], invalid: observed.invalid }, work);
  for (const group of chunksOf(observed.entities, work.groupSize)) await commitGroup(group, work);
  const { times, isNews, hasInvalid } = work;
  return { times, isNews, digest: hasInvalid ? undefined : digest };
}

/**
 * Commits the deletes of entities that the service does not know any more. They are saved ahead of
 * their events: the service has left no trace.
 */
export async function commitDeletes(
  entities: readonly Identity[],
  target: CommitTarget,
  context: CommitContext,
): Promise<void> {
  const states = await loadStates(entities, target, context);
  const now = isoTime(context.ports.clock.now());
  const found = detectDeletes(entities, states, eventMakerOf(target, context), now);
  await quarantineEntities(found.invalid, target, context);
  // Its lists may be polled still, though a run has saved its delete before.
  if (isProjectsFeed(target.feed)) await syncFeeds(deletedProjects(found), target, context);
  await publishAndSave(found.detected, target, context);
}

async function commitGroup(entities: readonly ObservedEntity[], work: Work): Promise<void> {
  const { target, context, compare } = work;
  const states = await loadStates(entities, target, context);
  const lists = listsToCompare(entities, states, compare.wholeAt !== undefined);
  const incomplete = await commitItems(lists, work);
  const compared = entities.map((each) => withoutDigestsOf(incomplete, each));
  const found = detectChanges(compared, states, compare);
  await note(found, work);
  await publish(found.detected, target, context);
  // Before their own states: a project with a state has its feeds, since the list may not show it
  // again soon.
  if (isProjectsFeed(target.feed))
    await syncFeeds(projectStates(entities, states, found), target, context);
  await save(statesOf(found), target, context);
}

/**
 * Commits the items of nested lists.
 *
 * @returns lists with an item that could not be worked on. They are compared again when they are
 *   shown again.
 */
async function commitItems(
  lists: readonly ObservedList[],
  work: Work,
): Promise<ReadonlySet<NestedList>> {
  const { target, context, compare, groupSize } = work;
  const { store } = context.ports;
  const incomplete = new Set<NestedList>();
  const found = await Promise.all(lists.map((each) => findItems(each, target.feed.id, store)));
  for (const { invalid, from } of found) if (invalid.length > 0) incomplete.add(from.list);
  await note({ detected: [], invalid: found.flatMap(({ invalid }) => invalid) }, work);
  const items = found.flatMap((each) => each.items);
  for (const some of chunksOf(items, groupSize)) {
    const states = await loadStates(some, target, context);
    const changes = detectItemChanges(some, states, compare);
    if (changes.invalid.length > 0) for (const { from } of some) incomplete.add(from.list);
    await note(changes, work);
    await publishAndSave(changes.detected, target, context);
  }
  return incomplete;
}

/** Quarantines what is invalid, and notes what is new. */
async function note({ detected, invalid }: Detection, work: Work): Promise<void> {
  const newCount = await quarantineEntities(invalid, work.target, work.context);
  work.hasInvalid ||= invalid.length > 0;
  work.isNews ||= newCount + detected.length > 0;
  for (const { change } of detected) if (change !== undefined) work.times.push(change.time);
}

function withoutDigestsOf(lists: ReadonlySet<NestedList>, entity: ObservedEntity): ObservedEntity {
  if (!entity.lists.some((list) => lists.has(list))) return entity;
  return { ...entity, lists: entity.lists.filter((list) => !lists.has(list)) };
}

function statesOf({ detected }: Detection): EntityState[] {
  return detected.map(({ state }) => state);
}
