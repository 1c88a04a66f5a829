import { isInScope, isInstant, type InstantCommand, type PlacedCommand } from '../model/command.ts';
import { feedPartition, resourceOf, type Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import { earlierOf } from '../model/timestamp.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { FeedRegistry } from './feed-registry.ts';

/**
 * Carries out the commands that need one run, and deletes them. Call it before a run polls.
 *
 * They change nothing but feeds, and each sets what it wants whatever was there. So if a run dies before it has
 * deleted them, the next one carries out all of them again, in their order. Others stay in the table.
 *
 * @param placed by the time at which they were placed.
 */
export async function applyCommands(
  placed: readonly PlacedCommand[],
  registry: FeedRegistry,
  catalog: Catalog,
  store: Pick<StateStore, 'deleteCommands'>,
): Promise<void> {
  const instant = placed.flatMap(({ partition, command }) =>
    isInstant(command) ? { partition, command } : [],
  );
  if (instant.length === 0) return;
  for (const { partition, command } of instant) {
    const isConcerned = (feed: Feed): boolean =>
      feedPartition(feed) === partition &&
      isInScope(feed, resourceOf(catalog, feed)?.name, command.scope);
    const change = (feed: Feed): Feed => afterCommand(feed, command);
    const concerned = registry.all().filter(isConcerned);
    await registry.commitAll(
      concerned.map(({ id }) => id),
      change,
    );
  }
  await store.deleteCommands(instant);
}

/** The feed after a command. */
export function afterCommand(feed: Feed, command: InstantCommand): Feed {
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
    case 'rewind': {
      // A list that was never read to its end is read from its start anyway.
      if (feed.cursor === undefined) return feed;
      const { boundary: _, ...rewound } = feed;
      return { ...rewound, cursor: earlierOf(feed.cursor, command.to) };
    }
  }
}
