import { describe, expect, it } from 'vitest';
import { FeedRegistry } from '../../../../functions/core/feeds/feed-registry.ts';
import { newFeed, partitionsOf, type Feed } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { recordCalls } from '../../../support/intercept.ts';
import { timeAt } from '../../../support/list-service.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { feedOf } from '../../../support/samples.ts';

const catalog = makeCatalog();
const SELECTION = { partitions: partitionsOf(0, 1), catalog, isAllPaused: false };
const projects = newFeed(catalog.projects, 'live');
const floorplans = feedOf({ projectId: 'p' });
const checklists: Feed = { ...floorplans, id: 'projects/p/template_checklists' };
const ofOther = feedOf({ projectId: 'q' });
const allFeeds = [projects, floorplans, checklists, ofOther];

/** A registry of stored feeds, and the calls on its store. */
async function makeRegistry(feeds: readonly Feed[] = allFeeds) {
  const memory = new MemoryStore();
  await memory.addFeeds(feeds);
  const calls: string[] = [];
  return {
    registry: new FeedRegistry(recordCalls(memory, calls), feeds, SELECTION),
    calls,
    memory,
  };
}

const moveTo = (second: number) => (feed: Feed) => ({ ...feed, cursor: timeAt(second) });

describe('a feed registry', () => {
  it('holds all feeds of the run by id', async () => {
    const { registry } = await makeRegistry();
    expect(registry.all()).toEqual(allFeeds);
    expect(registry.get('projects/p/floorplans')).toBe(floorplans);
    expect(registry.has('projects/p/floorplans')).toBe(true);
    expect(() => registry.get('projects/r/floorplans')).toThrow('projects/r/floorplans');
  });

  it('finds the feeds of a project; the projects feed belongs to none', async () => {
    const { registry } = await makeRegistry();
    expect(registry.ofProject('p')).toEqual([floorplans.id, checklists.id]);
    expect(registry.ofProject('q')).toEqual([ofOther.id]);
    expect(registry.ofProject('r')).toEqual([]);
  });

  it('leaves a feed that exists, although the run did not load it, to the next run', async () => {
    const { memory } = await makeRegistry();
    const registry = new FeedRegistry(memory, [projects], SELECTION);
    expect(await registry.add([floorplans])).toEqual([]);
    expect(registry.has(floorplans.id)).toBe(false);
  });

  it('stores added feeds', async () => {
    const { registry, memory } = await makeRegistry([projects]);
    await registry.add([floorplans]);
    expect(registry.get(floorplans.id)).toBe(floorplans);
    expect(registry.ofProject('p')).toEqual([floorplans.id]);
    await expect(memory.commitFeed(floorplans)).resolves.toMatchObject({ id: floorplans.id });
  });

  it('asks the store nothing for no feeds', async () => {
    const { registry, calls } = await makeRegistry();
    expect(await registry.add([])).toEqual([]);
    expect(await registry.loadStored([])).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('takes a feed as others have written it, if it is still there', async () => {
    const { registry, memory } = await makeRegistry();
    const stored = await memory.commitFeed(moveTo(1)(floorplans));
    await registry.reload(floorplans.id);
    expect(registry.get(floorplans.id)).toEqual(stored);
    memory.loadFeedsById = () => Promise.resolve(new Map<string, Feed>());
    await registry.reload(floorplans.id);
    expect(registry.get(floorplans.id)).toEqual(stored);
  });

  it('has no feed that the store did not accept', async () => {
    const { registry, memory } = await makeRegistry([projects]);
    memory.addFeeds = () => Promise.reject(new Error('throttled'));
    await expect(registry.add([floorplans])).rejects.toThrow('throttled');
    expect(registry.has(floorplans.id)).toBe(false);
  });
});

describe('a commit', () => {
  it('stores the changed feed and keeps it with its next revision', async () => {
    const { registry, calls } = await makeRegistry();
    const stored = await registry.commit(floorplans.id, moveTo(1));
    expect(stored).toEqual({ ...floorplans, cursor: timeAt(1), revision: 1 });
    expect(registry.get(floorplans.id)).toBe(stored);
    expect(calls).toEqual(['commitFeed']);
  });

  it('writes nothing when the feed stays the same', async () => {
    const { registry, calls } = await makeRegistry();
    const stored = await registry.commit(floorplans.id, (feed) => ({ ...feed }));
    expect(stored).toBe(floorplans);
    expect(calls).toEqual([]);
  });

  it.each<[string, Feed, Feed]>([
    ['gains a field', floorplans, { ...floorplans, parked: { until: 0 } }],
    ['loses a field', { ...floorplans, parked: { until: 0 } }, floorplans],
    ['has one other value', floorplans, { ...floorplans, paused: true }],
  ])('writes a feed that %s', async (_, before, after) => {
    const { registry, calls } = await makeRegistry([before]);
    await registry.commit(before.id, () => after);
    expect(calls).toEqual(['commitFeed']);
  });
});
