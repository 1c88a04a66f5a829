import { describe, expect, it } from 'vitest';
import { readEntities, firstOf, pickRow, statusesOf, TestService } from './support.ts';

describe('the behaviour', () => {
  it('cursorFilter ">" loses ties at the end of a page, ">=" repeats them', async () => {
    const { api, running, world } = await TestService.start({
      size: { projects: 0, shortProjects: 0 },
    });
    const { projects } = world;
    const ids = ['A', 'B', 'C'].map((name) => projects.create({ name }).id).sort();
    const readAll = async () => {
      const headers = { 'Service-Per-Page': '2' };
      const page = await api('/projects', { headers });
      const cursor = page.headers.get('X-Last-Synced-At') ?? '';
      const next = await api(`/projects?last_synced_at=${cursor}`, { headers });
      return [readEntities(page), readEntities(next)].map((rows) => rows.map((row) => row.id));
    };
    expect(await readAll()).toEqual([ids.slice(0, 2), []]);
    running.behaviour.cursorFilter = '>=';
    expect(await readAll()).toEqual([ids.slice(0, 2), ids.slice(0, 2)]);
  });

  it('storesMicroseconds repeats the last entity even with ">", and hides none of its millisecond', async () => {
    const { api, running, world } = await TestService.start({
      size: { projects: 0, shortProjects: 0 },
      behaviour: { storesMicroseconds: true },
    });
    const ids = ['A', 'B', 'C'].map((name) => world.projects.create({ name }).id).sort();
    const time = world.projects.list.all()[0]?.updated_at ?? '';
    const idsAfter = async (cursor: string) =>
      readEntities(await api(`/projects?last_synced_at=${cursor}`)).map(({ id }) => id);
    expect(await idsAfter(time)).toEqual(ids);
    expect(await idsAfter(time.replace('Z', '999Z'))).toEqual([]);
    running.behaviour.storesMicroseconds = false;
    expect(await idsAfter(time)).toEqual([]);
  });

  it.each([
    ['echo', '2030-01-01T00:00:00.000Z', null],
    ['now', '2024-05-01T10:00:00.000Z', '2024-05-01T10:00:00.000Z'],
    ['absent', null, null],
  ] as const)('emptyPageCursor "%s" decides the cursor of an empty page', async (...row) => {
    const [emptyPageCursor, withCursor, without] = row;
    const size = { projects: 0, shortProjects: 0 };
    const { api } = await TestService.start({ size, behaviour: { emptyPageCursor } });
    const cursorOf = async (query: string) =>
      (await api(`/projects${query}`)).headers.get('X-Last-Synced-At');
    expect(await cursorOf('?last_synced_at=2030-01-01T00:00:00.000Z')).toBe(withCursor);
    expect(await cursorOf('')).toBe(without);
  });

  it('perPageOverMaximum "reject" answers a page size over 1000 with 400', async () => {
    const { api } = await TestService.start({ behaviour: { perPageOverMaximum: 'reject' } });
    const statusOf = async (perPage: string) =>
      (await api('/projects', { headers: { 'Service-Per-Page': perPage } })).status;
    expect([await statusOf('1000'), await statusOf('1001')]).toEqual([200, 400]);
  });

  it('deletedProjectLists "not_found" answers reads below a deleted project with 404', async () => {
    const service = await TestService.start({ behaviour: { deletedProjectLists: 'not_found' } });
    const { projectId, running } = service;
    const { id } = pickRow(running.world.checklists.list(projectId));
    const paths = [
      `/projects/${projectId}/floorplans`,
      `/projects/${projectId}/template_checklists`,
      `/projects/${projectId}/template_checklists/${id}`,
      `/projects/${projectId}`,
    ];
    expect(await statusesOf(service, paths)).toEqual([200, 200, 200, 200]);
    running.world.projects.remove(projectId);
    expect(await statusesOf(service, paths)).toEqual([404, 404, 404, 200]);
  });

  it('deletedItems decides whether a deleted item is still nested', async () => {
    const { projectId, running, makeClient, world } = await TestService.start();
    const checklist = pickRow(world.checklists.list(projectId));
    const itemId = firstOf(checklist.template_check_items).id;
    world.checklists.removeItem({ projectId, checklistId: checklist.id, itemId }, 1);
    const client = makeClient('2021-04-14');
    const nested = async () => {
      const { template_check_items: items } = await client.getTemplateChecklist(
        projectId,
        checklist.id,
      );
      return items?.map((item) => item.deleted_at !== null);
    };
    expect(await nested()).toEqual([true, false, false, false]);
    running.behaviour.deletedItems = 'left_out';
    expect(await nested()).toEqual([false, false, false]);
  });

  it('accessTokenSeconds changes the lifetime of tokens issued from then on', async () => {
    const { api, clock, exchange, running } = await TestService.start({ accessTokenSeconds: 100 });
    const statusWith = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await api('/projects', { headers })).status;
    };
    const long = await exchange();
    running.behaviour.accessTokenSeconds = 10;
    const short = await exchange();
    clock.advance(10_000);
    expect([await statusWith(long), await statusWith(short)]).toEqual([200, 401]);
  });

  it.each([
    [{ cursorFilter: '<' }, 'cursorFilter'],
    [{ lateCommits: { probability: 2 } }, 'lateCommits.probability'],
    [{ roundTimestampsMs: 0 }, 'roundTimestampsMs'],
    [{ faults: [{ kind: 'fire' }] }, 'faults.0.kind'],
  ])('with a bad value keeps the service from starting: %j', async (behaviour, field) => {
    const bad = behaviour as Parameters<typeof TestService.start>[0];
    await expect(TestService.start({ behaviour: bad } as typeof bad)).rejects.toThrow(field);
  });
});
