import { describe, expect, it } from 'vitest';
import { readEntities, firstOf, pickRow, statusesOf, TestService } from './support.ts';

describe('the behaviour', () => {
  it('cursorFilter ">" leaves out what changed exactly at the cursor, ">=" does not', async () => {
    const service = await TestService.start();
    const { id, updated_at } = service.running.world.projects.create({ name: 'Last' });
    const path = `/projects?last_synced_at=${updated_at}`;
    expect(readEntities(await service.api(path))).toEqual([]);
    service.running.behaviour.cursorFilter = '>=';
    expect(readEntities(await service.api(path))).toMatchObject([{ id }]);
  });

  it('cursorFilter ">" loses ties at the end of a page, ">=" repeats them', async () => {
    const service = await TestService.start({ size: { projects: 0, shortProjects: 0 } });
    const { projects } = service.running.world;
    const ids = ['A', 'B', 'C'].map((name) => projects.create({ name }).id).sort();
    const readAll = async () => {
      const headers = { 'Service-Per-Page': '2' };
      const page = await service.api('/projects', { headers });
      const cursor = page.headers.get('X-Last-Synced-At') ?? '';
      const next = await service.api(`/projects?last_synced_at=${cursor}`, { headers });
      return [readEntities(page), readEntities(next)].map((rows) => rows.map((row) => row.id));
    };
    expect(await readAll()).toEqual([ids.slice(0, 2), []]);
    service.running.behaviour.cursorFilter = '>=';
    expect(await readAll()).toEqual([ids.slice(0, 2), ids.slice(0, 2)]);
  });

  it.each([
    ['echo', '2030-01-01T00:00:00.000Z', null],
    ['now', '2024-05-01T10:00:00.000Z', '2024-05-01T10:00:00.000Z'],
    ['absent', null, null],
  ] as const)('emptyPageCursor "%s" decides the cursor of an empty page', async (...row) => {
    const [emptyPageCursor, withCursor, without] = row;
    const size = { projects: 0, shortProjects: 0 };
    const service = await TestService.start({ size, behaviour: { emptyPageCursor } });
    const cursorOf = async (query: string) =>
      (await service.api(`/projects${query}`)).headers.get('X-Last-Synced-At');
    expect(await cursorOf('?last_synced_at=2030-01-01T00:00:00.000Z')).toBe(withCursor);
    expect(await cursorOf('')).toBe(without);
  });

  it('perPageOverMaximum "reject" answers a page size over 1000 with 400', async () => {
    const service = await TestService.start({ behaviour: { perPageOverMaximum: 'reject' } });
    const statusOf = async (perPage: string) =>
      (await service.api('/projects', { headers: { 'Service-Per-Page': perPage } })).status;
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
    const service = await TestService.start();
    const { projectId, running } = service;
    const checklist = pickRow(running.world.checklists.list(projectId));
    const itemId = firstOf(checklist.template_check_items).id;
    running.world.checklists.removeItem({ projectId, checklistId: checklist.id, itemId }, 1);
    const client = service.client('2021-04-14');
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

  it('lateCommits lets a change appear behind the cursor of a reader', async () => {
    const service = await TestService.start();
    const { running, clock } = service;
    running.behaviour.lateCommits = { probability: 1, delayMs: 10_000 };
    const late = running.world.projects.create({ name: 'Late' });
    running.behaviour.lateCommits.probability = 0;
    clock.advance(1000);
    running.world.projects.create({ name: 'Visible' });
    const page = await service.api('/projects');
    const cursor = page.headers.get('X-Last-Synced-At') ?? '';
    clock.advance(9000);
    expect(cursor > late.updated_at).toBe(true);
    expect(readEntities(await service.api(`/projects?last_synced_at=${cursor}`))).toEqual([]);
    expect(readEntities(await service.api('/projects')).map(({ id }) => id)).toContain(late.id);
  });

  it('accessTokenSeconds changes the lifetime of tokens issued from then on', async () => {
    const service = await TestService.start({ accessTokenSeconds: 100 });
    const statusWith = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await service.api('/projects', { headers })).status;
    };
    const long = await service.exchange();
    service.running.behaviour.accessTokenSeconds = 10;
    const short = await service.exchange();
    service.clock.advance(10_000);
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
