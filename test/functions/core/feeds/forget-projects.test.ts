import { describe, expect, it } from 'vitest';
import { FeedRegistry } from '../../../../functions/core/feeds/feed-registry.ts';
import {
  findForgotten,
  removeForgotten,
  removePast,
} from '../../../../functions/core/feeds/forget-projects.ts';
import type { Feed } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { feedOf } from '../../../support/samples.ts';

const FORGOTTEN_BEFORE = '2026-03-02T09:00:00.000Z';
/** A day before that: what has changed later is not forgotten yet. */
const LIMIT = Date.parse('2026-03-01T09:00:00.000Z');
const MINUTE = 60_000;

const parkedAt = (deletedSince: number, fields: Partial<Feed> = {}): Feed =>
  feedOf({ projectId: 'p', parked: 'project-deleted', deletedSince, ...fields });
const checklists = (feed: Feed): Feed => ({ ...feed, id: 'projects/p/template_checklists' });

async function openTable(feeds: readonly Feed[]) {
  const store = new MemoryStore();
  await store.addFeeds(feeds);
  return { store, registry: new FeedRegistry(store, feeds) };
}

describe('a project is forgotten', () => {
  it.each<[string, readonly Feed[], readonly string[]]>([
    ['if all its lists are parked and quiet for long', [parkedAt(LIMIT)], ['p']],
    ['not if a list has changed since', [parkedAt(LIMIT), checklists(parkedAt(LIMIT + 1))], []],
    ['not if a list is polled', [parkedAt(LIMIT), checklists(feedOf({ projectId: 'p' }))], []],
    ['not if a list is refused', [parkedAt(LIMIT, { parked: 'refused' })], []],
  ])('%s', async (_, feeds, expected) => {
    const { store, registry } = await openTable(feeds);
    const found = await findForgotten(registry, store, makeCatalog(), FORGOTTEN_BEFORE);
    expect([...found]).toEqual(expected);
  });

  it.each([
    [LIMIT, 0],
    [LIMIT + 1, 2],
  ])('and its lists are removed if none has changed since: at %i', async (deletedSince, left) => {
    const feeds = [parkedAt(LIMIT), checklists(parkedAt(deletedSince))];
    const { registry } = await openTable(feeds);
    await removeForgotten('p', registry, FORGOTTEN_BEFORE);
    expect(registry.all()).toHaveLength(left);
  });
});

describe('lists of a past that is forgotten are removed', () => {
  const NOW = LIMIT + 60 * MINUTE;
  const NEW_SINCE = LIMIT + 30 * MINUTE;
  it.each<[string, readonly Feed[], number]>([
    ['if all were parked before the project was new', [parkedAt(0, { parkedAt: NEW_SINCE })], 0],
    ['not if one was parked later', [parkedAt(0), checklists(parkedAt(NEW_SINCE + 1))], 2],
    ['not if one is polled', [parkedAt(0), checklists(feedOf({ projectId: 'p' }))], 2],
  ])('%s', async (_, feeds, left) => {
    const { registry } = await openTable(feeds);
    await removePast('p', registry, NEW_SINCE, NOW);
    expect(registry.all()).toHaveLength(left);
  });

  it('once they were parked for longer than clocks differ', async () => {
    const { registry } = await openTable([parkedAt(NEW_SINCE)]);
    await removePast('p', registry, NEW_SINCE, NEW_SINCE + 10 * MINUTE - 1);
    expect(registry.all()).toHaveLength(1);
    await removePast('p', registry, NEW_SINCE, NEW_SINCE + 10 * MINUTE);
    expect(registry.all()).toEqual([]);
  });
});
