import { isInstant, type PlacedCommand, type Reread } from '../model/command.ts';
import { feedPartition, type Feed } from '../model/feed.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { FeedRegistry } from './feed-registry.ts';
import { rewound } from './operator-change.ts';

type CommandStore = Pick<StateStore, 'deleteCommands' | 'deleteStates'>;

/**
 * Has lists read again for what is in the quarantine, and deletes these commands. Call it before a
 * run polls. If a run dies before it has deleted them, the next one carries out all of them again.
 * Others stay in the table.
 *
 * @param placed by the time at which they were placed.
 */
export async function applyCommands(
  placed: readonly PlacedCommand[],
  registry: FeedRegistry,
  store: CommandStore,
): Promise<void> {
  const instant = placed.flatMap(({ partition, command }) =>
    isInstant(command) ? { partition, command } : [],
  );
  for (const { partition, command } of instant) {
    const own = registry.all().filter((feed) => feedPartition(feed) === partition);
    await reread(command.lists, own, registry, store);
  }
  if (instant.length > 0) await store.deleteCommands(instant);
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
