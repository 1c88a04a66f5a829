import { describe, expect, it } from 'vitest';
import { FeedConflictError } from '../../../../functions/core/model/errors.ts';
import { FeedRegistry } from '../../../../functions/core/feeds/feed-registry.ts';
import { newFeed, type Feed } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { intercept } from '../../../support/intercept.ts';
import { at } from '../../../support/list-service.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { feedOf } from '../../../support/samples.ts';

const projects = newFeed(makeCatalog().projects, 'live');
const floorplans = feedOf({ projectId: 'p' });
const checklists: Feed = { ...floorplans, id: 'projects/p/template_checklists' };
const ofOther = feedOf({ projectId: 'q' });
const all = [projects, floorplans, checklists, ofOther];

/** A book of stored feeds, and what is called on its store. */
async function bookOf(feeds: readonly Feed[] = all) {
  const memory = new MemoryStore();
  await memory.addFeeds(feeds);
  const calls: string[] = [];
  const store = intercept(memory, ({ name, proceed }) => {
    calls.push(name);
    return proceed();
  });
  return { registry: new FeedRegistry(store, feeds), calls, memory };
}

const moveTo = (second: number) => (feed: Feed) => ({ ...feed, cursor: at(second) });

describe('a book of feeds', () => {
  it('holds all feeds of the run, each under its id', async () => {
    const { registry } = await bookOf();
    expect(registry.all()).toEqual(all);
    expect(registry.get('projects/p/floorplans')).toBe(floorplans);
    expect(registry.has('projects/p/floorplans')).toBe(true);
  });

  it('names the feed that it was asked for and does not have', async () => {
    const { registry } = await bookOf();
    expect(registry.has('projects/p/tasks')).toBe(false);
    expect(() => registry.get('projects/p/tasks')).toThrow(RangeError);
    expect(() => registry.get('projects/p/tasks')).toThrow('no feed projects/p/tasks');
  });

  it('knows which feeds are of which project; the list of projects is of none', async () => {
    const { registry } = await bookOf();
    expect(registry.ofProject('p')).toEqual([floorplans.id, checklists.id]);
    expect(registry.ofProject('q')).toEqual([ofOther.id]);
    expect(registry.ofProject('r')).toEqual([]);
  });

  it('refuses to begin anew with a feed that is there, though the run did not see it', async () => {
    const { memory } = await bookOf();
    const registry = new FeedRegistry(memory, [projects]);
    const added = registry.add([floorplans]);
    await expect(added).rejects.toThrow(FeedConflictError);
    await expect(added).rejects.toThrow(floorplans.id);
    await expect(added).rejects.toHaveProperty('hint', expect.stringMatching(/./));
    expect(registry.has(floorplans.id)).toBe(false);
  });

  it('stores what is added, and knows it from then on', async () => {
    const { registry, memory } = await bookOf([projects]);
    await registry.add([floorplans]);
    expect(registry.get(floorplans.id)).toBe(floorplans);
    expect(registry.ofProject('p')).toEqual([floorplans.id]);
    await expect(memory.commitFeed(floorplans)).resolves.toMatchObject({ id: floorplans.id });
  });

  it('does not know what the store did not take', async () => {
    const { registry, memory } = await bookOf([projects]);
    memory.addFeeds = () => Promise.reject(new Error('throttled'));
    await expect(registry.add([floorplans])).rejects.toThrow('throttled');
    expect(registry.has(floorplans.id)).toBe(false);
  });

  it('asks nothing of the store when there is nothing to add', async () => {
    const { registry, calls } = await bookOf();
    await registry.add([]);
    expect(calls).toEqual([]);
  });
});

describe('a commit', () => {
  it('stores the changed feed and keeps it as stored, with its next revision', async () => {
    const { registry, calls } = await bookOf();
    const stored = await registry.commit(floorplans.id, moveTo(1));
    expect(stored).toEqual({ ...floorplans, cursor: at(1), revision: 1 });
    expect(registry.get(floorplans.id)).toBe(stored);
    expect(calls).toEqual(['commitFeed']);
  });

  it('writes nothing when the feed stays the same', async () => {
    const { registry, calls } = await bookOf();
    const stored = await registry.commit(floorplans.id, (feed) => ({ ...feed }));
    expect(stored).toBe(floorplans);
    expect(calls).toEqual([]);
  });

  it.each<[string, Feed, Feed]>([
    ['gains a field', floorplans, { ...floorplans, parked: 'refused' }],
    ['loses a field', { ...floorplans, parked: 'refused' }, floorplans],
    ['has one other value', floorplans, { ...floorplans, failures: 1 }],
  ])('writes a feed that %s', async (_, before, after) => {
    const { registry, calls } = await bookOf([before]);
    await registry.commit(before.id, () => after);
    expect(calls).toEqual(['commitFeed']);
  });

  it('of one feed waits for the one before it and goes on from there', async () => {
    const { registry } = await bookOf();
    const [, second] = await Promise.all([
      registry.commit(floorplans.id, moveTo(1)),
      registry.commit(floorplans.id, (feed) => ({ ...feed, failures: 3 })),
    ]);
    expect(second).toEqual({ ...floorplans, cursor: at(1), failures: 3, revision: 2 });
  });

  it('of one feed does not wait for those of others', async () => {
    const { registry, memory } = await bookOf();
    const commitFeed = memory.commitFeed.bind(memory);
    memory.commitFeed = (feed) =>
      feed.id === floorplans.id ? new Promise(() => undefined) : commitFeed(feed);
    void registry.commit(floorplans.id, moveTo(1));
    await expect(registry.commit(checklists.id, moveTo(1))).resolves.toMatchObject({ revision: 1 });
  });

  it('that fails says so, leaves the feed as it was, and does not keep back the next one', async () => {
    const { registry } = await bookOf();
    const failing = registry.commit(floorplans.id, () => {
      throw new Error('broken');
    });
    const next = registry.commit(floorplans.id, moveTo(2));
    await expect(failing).rejects.toThrow('broken');
    await expect(next).resolves.toEqual({ ...floorplans, cursor: at(2), revision: 1 });
  });
});
