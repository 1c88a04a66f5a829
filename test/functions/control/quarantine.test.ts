import { describe, expect, it } from 'vitest';
import { control } from '../../../functions/control/control.ts';
import type { QuarantineChangeAnswer } from '../../../functions/control/protocol.ts';
import { invalidKey } from '../../../functions/core/changes/invalid-entity.ts';
import type { QueuedItem } from '../../../functions/core/ports/quarantine-queue.ts';
import type { QuarantinedItem } from '../../../functions/core/ports/quarantine.ts';
import { eventOf } from '../../support/samples.ts';
import { checklistsOf, FEED, liveSite, type Site } from '../../support/site.ts';
import { NO_WEBHOOKS } from './no-webhooks.ts';

const CHECKLISTS = checklistsOf('p').slice(1);
const ITEMS: readonly QuarantinedItem[] = [
  { feed: FEED, cursor: '2026-01-02T00:00:00.000Z', reason: 'id must be a text', value: { id: 7 } },
  { feed: FEED, cursor: '2026-01-01T00:00:00.000Z', reason: 'x'.repeat(300), value: { id: 8 } },
  { feed: CHECKLISTS, reason: 'no time', value: { id: 'c' } },
  { feed: FEED, reason: 'InvalidParameter', value: eventOf('f') },
  { feed: 'projects/gone/floorplans', reason: 'no id', value: {} },
];

const answerTo = (site: Site, request: object) =>
  control(request, {
    ...{ store: site.store, queue: site.quarantine, catalog: site.options.catalog },
    ...{ shardCount: 1, webhooks: NO_WEBHOOKS, now: () => site.clock.now(), random: () => 0.5 },
  });

async function siteWithItems(): Promise<Site> {
  const site = await liveSite();
  await site.quarantine.put(ITEMS);
  return site;
}

async function listOf(site: Site, scope?: object) {
  const answer = await answerTo(site, { command: 'quarantine-list', ...(scope && { scope }) });
  if (!('items' in answer)) throw new Error(JSON.stringify(answer));
  return answer.items;
}

const change = async (site: Site, request: object) =>
  (await answerTo(site, request)) as QuarantineChangeAnswer;

const commandsOf = (site: Site) => site.store.loadCommands([...Array(16).keys()]);

describe('the items of the quarantine', () => {
  it('are listed with their reasons, cut, and given back', async () => {
    const site = await siteWithItems();
    const items = await listOf(site);
    expect(items.map(({ list, kind }) => [list, kind])).toEqual([
      [FEED, 'entity'],
      [FEED, 'entity'],
      [CHECKLISTS, 'entity'],
      [FEED, 'event'],
      ['projects/gone/floorplans', 'entity'],
    ]);
    expect(items[1]?.reason).toBe(`${'x'.repeat(200)}…`);
    expect(site.quarantine.released).toEqual(['0', '1', '2', '3', '4']);
    expect(await listOf(site, { resource: 'floorplans' })).toHaveLength(3);
  });

  it('are shown whole, by the start of their id', async () => {
    const site = await siteWithItems();
    const [, { id } = { id: '' }] = await listOf(site);
    const answer = await answerTo(site, { command: 'quarantine-show', id: id.slice(0, 6) });
    const { reason, value, cursor } = ITEMS[1] ?? {};
    expect(answer).toMatchObject({ item: { id, list: FEED, reason, value, cursor } });
    expect(site.quarantine.released).toHaveLength(10);
  });

  it('are tried again: each list is read from its earliest page, and they leave the queue', async () => {
    const site = await siteWithItems();
    const trial = { command: 'quarantine-retry', all: true, dryRun: true };
    expect(await change(site, trial)).toMatchObject({ items: { length: 3 } });
    expect([await commandsOf(site), (await listOf(site)).length]).toEqual([[], 5]);
    const { items, skipped, id } = await change(site, { ...trial, dryRun: false });
    expect(items).toHaveLength(3);
    expect(skipped.map(({ item, reason }) => [item.kind, reason])).toEqual([
      ['event', 'its state has expired'],
      ['entity', 'there is no such list any more'],
    ]);
    expect(await commandsOf(site)).toMatchObject([
      {
        command: {
          id,
          name: 'reread',
          lists: {
            [FEED]: {
              from: '2026-01-01T00:00:00.000Z',
              invalid: ITEMS.slice(0, 2).map(invalidKeyOf),
            },
            [CHECKLISTS]: { invalid: ITEMS.slice(2, 3).map(invalidKeyOf) },
          },
        },
      },
    ]);
    expect(await listOf(site)).toEqual(skipped.map(({ item }) => item));
  });

  it('are dropped', async () => {
    const site = await siteWithItems();
    const [first] = await listOf(site);
    const drop = { command: 'quarantine-drop' };
    expect(await change(site, { ...drop, ids: [first?.id] })).toMatchObject({ items: [first] });
    const all = { ...drop, all: true, scope: { list: FEED } };
    expect((await change(site, all)).items).toHaveLength(2);
    expect((await listOf(site)).map(({ list }) => list)).toEqual([
      CHECKLISTS,
      'projects/gone/floorplans',
    ]);
    expect(await commandsOf(site)).toEqual([]);
  });

  it.each<[object, string, string]>([
    [{ ids: ['abcdef'] }, 'There is no item "abcdef" in the quarantine.', 'It has 5, for example'],
    [{ ids: ['xyz'] }, 'ids[0] is "xyz"; allowed: an id of an item', 'Correct'],
    [{ ids: ['abcd'], all: true }, 'allowed: either ids, or all', 'Correct'],
    [{}, 'ids is missing; allowed: either ids, or all', 'Correct'],
    [{ all: true, scope: { list: 'x' } }, 'There is no list "x".', 'There are 3'],
  ])('stay as they are after a request that is refused: %j', async (request, message, hint) => {
    const site = await siteWithItems();
    const answer = await answerTo(site, { command: 'quarantine-drop', ...request });
    if (!('error' in answer)) throw new Error('it was not refused');
    expect(answer.error.message).toContain(message);
    expect(answer.error.hint).toContain(hint);
    expect(await listOf(site)).toHaveLength(5);
  });
});

describe('items that are tried again', () => {
  const retry = { command: 'quarantine-retry', all: true };
  const floorplan: QuarantinedItem = { feed: FEED, reason: 'no time', value: { id: 'a' } };

  it.each<[string, object]>([
    ['its list is not polled: paused', { paused: true }],
    ['its list is not polled: parked', { parked: { until: 0 } }],
    ['its list is not polled: config leaves it out', { id: 'projects/p/old', projectId: 'p' }],
  ])('stay if nothing would show them: %s', async (reason, fields) => {
    const site = await siteWithItems();
    const feed = await site.feed(FEED);
    if (feed === undefined) throw new Error('it has no such list');
    const changed = { ...feed, ...fields };
    if (changed.id === FEED) await site.store.commitFeed(changed);
    else await site.store.addFeeds([changed]);
    await site.quarantine.put([{ ...floorplan, feed: changed.id }]);
    const answer = await change(site, retry);
    expect(answer.items.map(({ list }) => list)).not.toContain('projects/p/old');
    expect(answer.skipped.map((skipped) => skipped.reason)).toContain(reason);
    const left = await listOf(site, { list: changed.id });
    expect(left.filter(({ kind }) => kind === 'entity').length).toBeGreaterThan(0);
  });

  it('stay if they cannot be read, and hold up no other', async () => {
    const site = await siteWithItems();
    const receive = site.quarantine.receive.bind(site.quarantine);
    site.quarantine.receive = async () => {
      const received = await receive();
      const [{ read: _, ...first }, ...others] = received.items as [QueuedItem, ...QueuedItem[]];
      return { ...received, items: [first, ...others] };
    };
    const { items, skipped } = await change(site, retry);
    expect(items).toHaveLength(2);
    expect(skipped[0]?.reason).toBe('no item is too large for a message');
  });

  it('stay if there is no time to read their copies, of which it reads some at the same time', async () => {
    const site = await liveSite();
    const many = Array.from({ length: 400 }, (_, id) => ({ ...floorplan, value: { id } }));
    await site.quarantine.put(many);
    const receive = site.quarantine.receive.bind(site.quarantine);
    site.quarantine.receive = async () => {
      const { items, ...received } = await receive();
      return { ...received, items: items.map(({ read: _, ...item }) => item) };
    };
    let reading = 0;
    const most = new Set<number>();
    site.quarantine.readCopy = async () => {
      reading += 1;
      most.add(reading);
      await Promise.resolve();
      site.clock.advance(250);
      reading -= 1;
      return floorplan;
    };
    const { items, skipped } = await change(site, retry);
    expect(Math.max(...most)).toBe(4);
    // A second for each four of them.
    expect(items).toHaveLength(4 * 26);
    expect(items.length + skipped.length).toBe(400);
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(
      new Set(['there is no time to read it: retry it after this one']),
    );
  });

  it('are what their copies show: a large entity with type and subject looked like an event', async () => {
    const site = await liveSite();
    const value = { id: 'a', type: 'plan', subject: 'Second floor', specversion: '1.0' };
    await site.quarantine.put([{ feed: FEED, reason: 'no time', value }]);
    const receive = site.quarantine.receive.bind(site.quarantine);
    site.quarantine.receive = async () => {
      const { items, ...received } = await receive();
      return { ...received, items: items.map((item) => ({ ...item, kind: 'event' })) };
    };
    expect((await change(site, retry)).skipped).toEqual([]);
    const placed = await commandsOf(site);
    expect(placed.map(({ command }) => command.name)).toEqual(['reread']);
  });

  it('are named once in a command, and only in the partition of their list', async () => {
    const site = await siteWithItems();
    const project: QuarantinedItem = { feed: 'projects', reason: 'no time', value: { id: 'a' } };
    await site.quarantine.put([
      floorplan,
      { ...floorplan, cursor: '2026-01-03T00:00:00Z' },
      project,
    ]);
    expect((await change(site, retry)).items).toHaveLength(6);
    const placed = await commandsOf(site);
    const lists = placed.map(({ command }) => ('lists' in command ? command.lists : {}));
    expect(lists.map((each) => Object.keys(each).sort()).sort()).toEqual(
      [['projects'], [CHECKLISTS, FEED].sort()].sort(),
    );
    expect(lists.find((each) => FEED in each)?.[FEED]).toMatchObject({ invalid: { length: 3 } });
  });

  it('stay if an item of the table has no room for more', async () => {
    const site = await liveSite();
    const cursor = '2026-01-02T00:00:00.000Z';
    const many = Array.from({ length: 5000 }, (_, id) => ({ ...floorplan, cursor, value: { id } }));
    await site.quarantine.put(many);
    const { items, skipped } = await change(site, retry);
    expect(items.length + skipped.length).toBe(5000);
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(
      new Set(['one command has no room for more: retry it after this one']),
    );
    const [placed] = await commandsOf(site);
    expect(JSON.stringify(placed).length).toBeLessThan(300_000);
    expect(items.length).toBeGreaterThan(1000);
  });
});

const invalidKeyOf = ({ reason, value }: QuarantinedItem) => invalidKey({ reason, value });

it('items that are tried again cannot be tried again in half: nothing cancels that', async () => {
  const site = await siteWithItems();
  await answerTo(site, { command: 'quarantine-retry', all: true });
  const placed = await commandsOf(site);
  expect(await answerTo(site, { command: 'cancel' })).toMatchObject({
    error: { message: expect.stringContaining('its items have left the quarantine') as string },
  });
  expect(await commandsOf(site)).toEqual(placed);
});
