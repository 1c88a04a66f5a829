import {
  isInScope,
  isInstant,
  type InstantCommand,
  type PlacedCommand,
  type Reread,
} from '../model/command.ts';
import { feedPartition, configuredResource, type Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import { earlierOf, type Timestamp } from '../model/timestamp.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { FeedRegistry } from './feed-registry.ts';

type CommandStore = Pick<StateStore, 'deleteCommands' | 'deleteStates'>;

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
  { catalog }: { readonly catalog: Catalog },
  store: CommandStore,
): Promise<void> {
  const instant = placed.flatMap(({ partition, command }) =>
    isInstant(command) ? { partition, command } : [],
  );
  if (instant.length === 0) return;
  for (const { partition, command } of instant) {
    const own = registry.all().filter((feed) => feedPartition(feed) === partition);
    if (command.name === 'reread') await reread(command.lists, own, registry, store);
    else await changeFeeds(command, own, registry, catalog);
  }
  // In their order: an earlier one that stays alone would undo a later one that is gone.
  for (const parts of Map.groupBy(instant, ({ command }) => command.id).values())
    await store.deleteCommands(parts);
}

type FeedCommand = Exclude<InstantCommand, { readonly name: 'reread' }>;

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

/** Deletes first the marks of quarantined entities: those that are still invalid go there again. */
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
