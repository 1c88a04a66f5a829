import { expect, it } from 'vitest';
import type { Row } from '../../../../infra/local/simulator/world/entity-list.ts';
import { startTestSimulator, type Answer } from './support.ts';

const rowsOf = ({ json }: Answer): readonly Row[] => json as Row[];

function headersOf({ headers }: Answer) {
  const names = ['X-Count', 'X-Has-More', 'X-Last-Synced-At'] as const;
  return names.map((name) => headers.get(name));
}

it.each(['/projects', '/projects/{id}/floorplans', '/projects/{id}/template_checklists'])(
  '%s is read page after page, with its deleted entities, in order',
  async (template) => {
    const { api, projectId } = await startTestSimulator();
    const path = template.replace('{id}', projectId);
    const all = rowsOf(await api(path));
    const keys = all.map(({ updated_at, id }) => updated_at + id);
    expect(keys).toEqual(keys.toSorted());
    expect(all.some(({ deleted_at }) => deleted_at !== null)).toBe(true);
    const read: Row[] = [];
    for (let query = ''; ;) {
      const page = await api(`${path}${query}`, { headers: { 'Service-Per-Page': '2' } });
      const rows = rowsOf(page);
      read.push(...rows);
      const last = rows.at(-1)?.updated_at ?? null;
      const hasMore = read.length < all.length;
      expect(headersOf(page)).toEqual([String(rows.length), String(hasMore), last]);
      if (!hasMore) break;
      query = `?last_synced_at=${last}`;
    }
    expect(read).toEqual(all);
  },
);

it('a page has 50 entities by default, and 1000 at most', async () => {
  const { api, world } = await startTestSimulator({ size: { projects: 0, shortProjects: 0 } });
  expect(headersOf(await api('/projects'))).toEqual(['0', 'false', null]);
  for (let index = 0; index < 1001; index += 1) world.projects.create({ name: 'Many' });
  expect(rowsOf(await api('/projects'))).toHaveLength(50);
  const large = await api('/projects', { headers: { 'Service-Per-Page': '1001' } });
  expect(headersOf(large).slice(0, 2)).toEqual(['1000', 'true']);
});

it('an empty page has the cursor of its request, in UTC', async () => {
  const { api } = await startTestSimulator();
  const page = await api('/projects?last_synced_at=2030-01-01T02:00:00%2B02:00');
  expect(headersOf(page)).toEqual(['0', 'false', '2030-01-01T00:00:00.000Z']);
});

it('deletedItems left_out shows no deleted item', async () => {
  const { simulator, world, projectId, makeClient } = await startTestSimulator();
  const list = world.checklists.create(projectId, { name: 'List' });
  const { template_check_items: items } = world.checklists.addItem(projectId, list.id, {
    name: 'Item',
  });
  const itemId = items[0]?.id ?? '';
  world.checklists.updateItem({ projectId, checklistId: list.id, itemId }, (time) => ({
    deleted_at: time,
  }));
  const client = makeClient('2021-01-01');
  const read = async () =>
    (await client.getTemplateChecklist(projectId, list.id)).template_check_items;
  expect(await read()).toMatchObject([{ id: itemId, deleted_at: expect.any(String) as string }]);
  simulator.behaviour.deletedItems = 'left_out';
  expect(await read()).toEqual([]);
});
