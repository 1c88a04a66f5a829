import { expect, it } from 'vitest';
import type { PageOptions } from '../support/virtual-service.ts';
import { CaseSite, PLANS, siteWith } from './case-site.ts';

it('Floorplans show their sheets as an array with addresses that change with each read: a new sheet is published', async () => {
  const sheet = { id: 's1', version: 1, updated_at: '2026-01-02T00:00:00.000Z', deleted_at: null };
  const site = new CaseSite({ config: { withCurrentSheet: true } });
  site.put(PLANS, 'f', { sheets: [{ ...sheet, file_url: 'https://files.example/a?sig=1' }] });
  await site.poll();
  const updated_at = new Date(site.time.now).toISOString();
  site.put(PLANS, 'f', { sheets: [{ ...sheet, id: 's2', version: 2, updated_at }] });
  expect((await site.poll()).sort()).toEqual(['floorplan.updated f', 'sheet.created s2']);
});

const USERS = '/projects/p/users';

/** A project that has users, too, which are no built-in list. */
function siteWithUsers(answerUsers?: () => Response): CaseSite {
  const list = { name: 'users', entity: 'user', path: '/projects/{project_id}/users' };
  return new CaseSite({
    answer: (_, path) => (path === USERS ? answerUsers?.() : undefined),
    config: { additionalResources: [list] },
  });
}

it('An additional list has integers for ids, and addresses that change with each read: its changes alone are published', async () => {
  const site = siteWithUsers();
  const old = { id: 2, updated_at: '2026-03-02T07:00:00.000Z' };
  site.put(USERS, '2', { ...old, role: 'admin', photo_url: 'https://files.example/?sig=1' });
  await site.poll();
  site.put(USERS, '2', { ...old, photo_url: 'https://files.example/?sig=2' });
  expect(await site.poll()).toEqual([]);
  site.put(USERS, '2', { id: 2, role: 'member' });
  expect(await site.poll()).toEqual(['user.updated 2']);
});

it.each<[string, () => Response]>([
  ['is a module that the account has not', () => Response.json({ errors: [] }, { status: 403 })],
  ['comes without headers of paging', () => Response.json([])],
  [
    'comes within an object',
    () => Response.json({ users: [] }, { headers: { 'x-has-more': 'false' } }),
  ],
  [
    'is counted wrong',
    () => Response.json([], { headers: { 'x-has-more': 'false', 'x-count': '9' } }),
  ],
])('An additional list %s: it is reported once, and the others go on', async (_, answer) => {
  const site = siteWithUsers(answer);
  await site.poll(4);
  expect(site.reports).toEqual([expect.stringMatching(/waits.*projects\/p\/users/)]);
  site.put(PLANS, 'f', { name: 'renamed' });
  expect(await site.poll()).toEqual(['floorplan.updated f']);
});

it.each<[string, PageOptions]>([
  ['shows its only page newest first', { order: (a, b) => (a.updated_at < b.updated_at ? 1 : -1) }],
  ['says X-Has-More: False', { headers: { 'x-has-more': 'False' } }],
  ['shows microseconds', withTime((at) => at.replace('Z', '123Z'))],
])('A list %s: its changes are published', async (_, page) => {
  const site = siteWith(page);
  await site.poll();
  site.put(PLANS, 'f', { name: 'renamed' });
  site.put(PLANS, 'odd');
  expect((await site.poll(2)).sort()).toEqual(['floorplan.created odd', 'floorplan.updated f']);
  expect(site.reports).toEqual([]);
});

it.each<[string, (updatedAt: string) => unknown]>([
  ['is of another zone', (at) => at.replace('Z', '+02:00')],
  ['has no zone', (at) => at.slice(0, -1)],
  ['is a number', Date.parse],
  ['is null', () => null],
  ['is written small', (at) => at.toLowerCase()],
])("An entity's time %s: it alone is quarantined", async (_, show) => {
  const site = siteWith(withTime(show));
  await site.poll();
  site.put(PLANS, 'f', { name: 'renamed' });
  site.put(PLANS, 'odd');
  expect(await site.poll(2)).toEqual(['floorplan.updated f']);
  expect(site.reports).toEqual([expect.stringMatching(/quarantined.*odd.*updated_at/)]);
});

/** Shows the time of one entity in another way. */
function withTime(show: (updatedAt: string) => unknown): PageOptions {
  return {
    show: (entity) =>
      entity.id === 'odd' ? { ...entity, updated_at: show(entity.updated_at) } : entity,
  };
}

it('A list shows an entity twice on a page: it is published once, in its later version', async () => {
  const old = { id: 'u', updated_at: '2026-03-02T07:00:00.000Z', deleted_at: null };
  let rows: object[] = [old];
  const site = siteWithUsers(() => Response.json(rows, { headers: { 'X-Has-More': 'false' } }));
  await site.poll();
  const at = (ms: number) => new Date(site.time.now + ms).toISOString();
  rows = [
    { ...old, updated_at: at(0) },
    { ...old, updated_at: at(1), deleted_at: at(1) },
  ];
  expect(await site.poll()).toEqual(['user.deleted u']);
  expect(await site.poll(2)).toEqual([]);
});

it('An entity moves to another project: it is created there', async () => {
  let isMoved = false;
  const empty = () => Response.json([], { headers: { 'X-Has-More': 'false' } });
  const site = new CaseSite({
    answer: (_, path) => (isMoved && path === PLANS ? empty() : undefined),
  });
  site.put('/projects', 'q', { account_id: 7, updated_at: '2026-03-02T07:00:00.000Z' });
  site.put('/projects/q/floorplans', 'g', { updated_at: '2026-03-02T07:00:00.000Z' });
  await site.poll();
  isMoved = true;
  site.put('/projects/q/floorplans', 'f');
  expect(await site.poll()).toEqual(['floorplan.created f']);
});
