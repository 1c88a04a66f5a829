import { describe, expect, it } from 'vitest';
import { afterCommand, applyCommands } from '../../../../functions/core/feeds/apply-commands.ts';
import { FeedRegistry } from '../../../../functions/core/feeds/feed-registry.ts';
import type { PlacedCommand } from '../../../../functions/core/model/command.ts';
import { FEED_PARTITIONS, feedPartition } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { recordCalls } from '../../../support/intercept.ts';
import { timeAt } from '../../../support/list-service.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { feedOf } from '../../../support/samples.ts';

const FEED = feedOf({ projectId: 'p', cursor: timeAt(5), notBefore: 9, boundary: 'b' });
const OTHER = feedOf({ projectId: 'q' });
const OPTIONS = { catalog: makeCatalog(), partitions: [...Array(FEED_PARTITIONS).keys()] };

/** Carries out commands, and tells what it called. */
async function apply(placed: readonly PlacedCommand[]) {
  const memory = new MemoryStore();
  await memory.addFeeds([FEED, OTHER]);
  await memory.saveCommands(placed);
  const calls: string[] = [];
  const store = recordCalls(memory, calls);
  const registry = new FeedRegistry(store, [FEED, OTHER]);
  await applyCommands(placed, registry, OPTIONS, store);
  const left = await memory.loadCommands(OPTIONS.partitions);
  return { registry, calls, left };
}

describe('carrying out commands', () => {
  it('changes the lists of the partition in which a command is placed, and deletes it', async () => {
    expect(feedPartition(OTHER)).not.toBe(feedPartition(FEED));
    const { registry, left } = await apply([
      { partition: feedPartition(FEED), command: { id: '1', name: 'pause', scope: {} } },
    ]);
    expect(registry.get(FEED.id).paused).toBe(true);
    expect(registry.get(OTHER.id)).not.toHaveProperty('paused');
    expect(left).toEqual([]);
  });

  it('calls nothing if all commands are long', async () => {
    const long = { partition: 3, command: { id: '1', name: 'reconcile', scope: {} } } as const;
    const { calls, left } = await apply([long]);
    expect(calls).toEqual([]);
    expect(left).toEqual([long]);
  });
});

describe('a list after a command', () => {
  it('is polled at once after a retry, unless its project is deleted', () => {
    const retry = { name: 'retry' } as const;
    const command = { id: '1', scope: {}, ...retry };
    expect(afterCommand(FEED, command).notBefore).toBe(0);
    expect(afterCommand({ ...FEED, parked: 'refused' }, command).notBefore).toBe(0);
    const waiting = { ...FEED, parked: 'project-deleted' } as const;
    expect(afterCommand(waiting, command)).toBe(waiting);
  });

  it('is read from the earlier of its cursor and the time of a rewind', () => {
    const rewind = (to: string) => ({ id: '1', name: 'rewind', scope: {}, to }) as const;
    const { boundary: _, ...without } = FEED;
    expect(afterCommand(FEED, rewind(timeAt(3)))).toEqual({ ...without, cursor: timeAt(3) });
    expect(afterCommand(FEED, rewind(timeAt(7)))).toEqual(without);
    expect(afterCommand(OTHER, rewind(timeAt(3)))).toBe(OTHER);
  });
});
