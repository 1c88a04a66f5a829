import {
  isInScope,
  isInstant,
  type ForgetCommand,
  type InstantCommand,
  type PlacedCommand,
  type Reread,
} from '../model/command.ts';
import { entityKey } from '../model/entity-state.ts';
import { feedPartition, configuredResource, type Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import { earlierOf, type Timestamp } from '../model/timestamp.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { FeedRegistry } from './feed-registry.ts';

/** What decides what a command concerns. */
interface ApplyOptions {
  readonly catalog: Catalog;
  /** Those of the shard. */
  readonly partitions: readonly number[];
}

type CommandStore = Pick<
  StateStore,
  'loadCommands' | 'saveCommands' | 'deleteCommands' | 'deleteStates'
>;

/** The partition of the list of projects. */
const PROJECTS_PARTITION = feedPartition({});

/**
 * Carries out the commands that need one run, and deletes them. Call it before a run polls.
 *
 * Each sets what it wants whatever was there. So if a run dies before it has deleted them, the next one carries
 * out all of them again, in their order. Others stay in the table.
 *
 * @param placed by the time at which they were placed.
 */
export async function applyCommands(
  placed: readonly PlacedCommand[],
  registry: FeedRegistry,
  options: ApplyOptions,
  store: CommandStore,
): Promise<void> {
  const instant = placed.flatMap(({ partition, command }) =>
    isInstant(command) ? { partition, command } : [],
  );
  if (instant.length === 0) return;
  const done: PlacedCommand[] = [];
  for (const each of instant) {
    const { partition, command } = each;
    const own = registry.all().filter((feed) => feedPartition(feed) === partition);
    let isDone = true;
    if (command.name === 'forget') isDone = await forgetProject(command, registry, options, store);
    else if (command.name === 'reread') await reread(command.lists, own, registry, store);
    else await changeFeeds(command, own, registry, options.catalog);
    if (isDone) done.push(each, ...restOf(each, options));
  }
  // In their order: an earlier one that stays alone would undo a later one that is gone.
  for (const parts of Map.groupBy(done, ({ command }) => command.id).values())
    await store.deleteCommands(parts);
}

/**
 * The second part of a command to forget, when its first part was carried out whole. Another shard may have left it before
 * the shards were joined: carried out by a later run, it would remove the project's new state.
 */
function restOf({ partition, command }: PlacedCommand, { partitions }: ApplyOptions) {
  const isWhole = command.name === 'forget' && partitions.includes(PROJECTS_PARTITION);
  return isWhole && partition !== PROJECTS_PARTITION
    ? [{ partition: PROJECTS_PARTITION, command }]
    : [];
}

type FeedCommand = Exclude<InstantCommand, { readonly name: 'forget' | 'reread' }>;

async function changeFeeds(
  command: FeedCommand,
  own: readonly Feed[],
  registry: FeedRegistry,
  catalog: Catalog,
): Promise<void> {
  const isConcerned = (feed: Feed): boolean =>
    isInScope(feed, configuredResource(catalog, feed)?.name, command.scope);
  const change = (feed: Feed): Feed => afterCommand(feed, command);
  const concerned = own.filter(isConcerned);
  await registry.commitAll(
    concerned.map(({ id }) => id),
    change,
  );
}

/** Forgets first that the entities were quarantined: those that are still invalid go there again. */
async function reread(
  lists: Readonly<Record<string, Reread>>,
  own: readonly Feed[],
  registry: FeedRegistry,
  store: CommandStore,
): Promise<void> {
  for (const { id } of own) {
    const { [id]: list } = lists;
    if (list === undefined) continue;
    await store.deleteStates(id, list.invalid);
    await registry.commit(id, (feed) => rewound(feed, list.from));
  }
}

/** See {@link ForgetCommand}. @returns false while it has to wait. */
async function forgetProject(
  command: InstantCommand & ForgetCommand,
  registry: FeedRegistry,
  { catalog, partitions }: ApplyOptions,
  store: CommandStore,
): Promise<boolean> {
  const { projectId } = command.scope;
  if (command.areListsGone) {
    // The run that left this died before it had deleted its own. Lists that the project gets anew would go, too.
    const others = await store.loadCommands([feedPartition(command.scope)]);
    if (others.some((other) => other.command.id === command.id)) return false;
  } else {
    for (const id of registry.ofProject(projectId)) await registry.remove(id);
  }
  if (partitions.includes(PROJECTS_PARTITION)) {
    const { entity, path } = catalog.projects;
    await store.deleteStates(path.slice(1), [entityKey(entity, projectId)]);
  } else {
    const next = { ...command, areListsGone: true } as const;
    await store.saveCommands([{ partition: PROJECTS_PARTITION, command: next }]);
  }
  return true;
}

/** The feed after a command. */
export function afterCommand(feed: Feed, command: FeedCommand): Feed {
  switch (command.name) {
    case 'pause':
      return { ...feed, paused: true };
    case 'resume': {
      const { paused: _, ...resumed } = feed;
      return resumed;
    }
    case 'retry':
      // What waits for a project that is deleted has nothing to retry.
      return feed.parked === 'project-deleted' ? feed : { ...feed, notBefore: 0 };
    case 'rewind':
      return rewound(feed, command.to);
  }
}

/** The feed at an earlier cursor. @param to absent: its start. */
function rewound(feed: Feed, to: Timestamp | undefined): Feed {
  // A list that was never read to its end is read from its start anyway.
  if (feed.cursor === undefined) return feed;
  const { boundary: _, cursor, ...rest } = feed;
  return to === undefined ? rest : { ...rest, cursor: earlierOf(cursor, to) };
}
