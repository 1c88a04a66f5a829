import { describe, expect, it } from 'vitest';
import { readEntities, readObject, pickRow, TestService, type Answer } from '../support.ts';

/** Calls all operations that return a floorplan and says which answers hold its sheet. */
async function sheetsIn(service: TestService, version: string | undefined, query = '') {
  const { projectId, running } = service;
  const { id } = running.world.floorplans.create(projectId, { name: 'Plan' });
  running.world.floorplans.uploadSheet(projectId, id);
  const list = `/projects/${projectId}/floorplans`;
  const headers = version === undefined ? {} : { 'Service-Version': version };
  const listed = await service.api(`${list}${query}`, { headers });
  const one = (rest: string, method: string, body?: unknown) =>
    service.api(`${list}/${id}${rest}${query}`, { method, headers, body });
  return {
    list: readEntities(listed).every(holdsSheet),
    get: holdsSheet(readObject(await one('', 'GET'))),
    patch: holdsSheet(readObject(await one('', 'PATCH', { name: 'Other' }))),
    restore: holdsSheet(readObject(await one('/restore', 'PUT'))),
    rotate: holdsSheet(readObject(await one('/rotate', 'PUT'))),
  };
}

function holdsSheet(floorplan: object): boolean {
  return 'current_sheet' in floorplan;
}

/** Calls all operations that return a checklist and says which answers hold its items. */
async function itemsIn(service: TestService, version: string | undefined) {
  const { projectId, running } = service;
  const { id } = pickRow(running.world.checklists.list(projectId));
  const list = `/projects/${projectId}/template_checklists`;
  const headers = version === undefined ? {} : { 'Service-Version': version };
  const body = { name: 'Other' };
  return {
    list: readEntities(await service.api(list, { headers })).every(holdsItems),
    get: holdsItems(readObject(await service.api(`${list}/${id}`, { headers }))),
    create: holdsItems(readObject(await service.api(list, { method: 'POST', headers, body }))),
    update: holdsItems(
      readObject(await service.api(`${list}/${id}`, { method: 'PATCH', headers, body })),
    ),
  };
}

function holdsItems(checklist: object): boolean {
  return 'template_check_items' in checklist && Array.isArray(checklist.template_check_items);
}

const ALL_SHEETS = { list: true, get: true, patch: true, restore: true, rotate: true };
const NO_SHEETS = { list: false, get: false, patch: false, restore: false, rotate: false };
const ALL_ITEMS = { list: true, get: true, create: true, update: true };
const NO_ITEMS = { list: false, get: false, create: false, update: false };

describe('2021-03-30: the sheet is no longer embedded', () => {
  it.each(['2021-03-29', '2020-01-01', '1970-01-01'])('version %s has it', async (version) => {
    expect(await sheetsIn(await TestService.start(), version)).toEqual(ALL_SHEETS);
  });

  it.each([undefined, '2021-03-30', '2021-03-31', '2021-04-15', '2099-12-31'])(
    'version %s has it not',
    async (version) => {
      expect(await sheetsIn(await TestService.start(), version)).toEqual(NO_SHEETS);
    },
  );

  it.each([undefined, '2021-03-30'])(
    'with_current_sheet=true brings it back in list and get alone, in version %s',
    async (version) => {
      const service = await TestService.start();
      expect(await sheetsIn(service, version, '?with_current_sheet=true')).toEqual({
        ...NO_SHEETS,
        list: true,
        get: true,
      });
    },
  );

  it('with_current_sheet=false does not take it out of an older version', async () => {
    const service = await TestService.start();
    const sheets = await sheetsIn(service, '2021-03-29', '?with_current_sheet=false');
    expect(sheets).toEqual(ALL_SHEETS);
  });

  it.each(['', 'yes', '1', 'TRUE'])('with_current_sheet=%s is answered with 400', async (value) => {
    const service = await TestService.start();
    const path = `/projects/${service.projectId}/floorplans?with_current_sheet=${value}`;
    expect((await service.api(path)).status).toBe(400);
  });

  it('the sheet is null until a drawing is uploaded, and replaced by each upload', async () => {
    const service = await TestService.start();
    const { projectId, running, clock } = service;
    const { id } = running.world.floorplans.create(projectId, { name: 'Plan' });
    const client = service.client();
    const read = () => client.getFloorplan(projectId, id, { withCurrentSheet: true });
    expect((await read())['current_sheet']).toBeNull();

    clock.advance(1000);
    const one = running.world.floorplans.uploadSheet(projectId, id).current_sheet;
    clock.advance(1000);
    const two = running.world.floorplans.uploadSheet(projectId, id).current_sheet;
    expect(two?.id).not.toBe(one?.id);
    expect(await read()).toMatchObject({
      updated_at: '2024-05-01T10:00:02.000Z',
      current_sheet: {
        id: two?.id,
        floorplan_id: id,
        project_id: projectId,
        version: 2,
        created_at: '2024-05-01T10:00:02.000Z',
        updated_at: '2024-05-01T10:00:02.000Z',
        deleted_at: null,
      },
    });
  });
});

describe('2021-04-15: the items are no longer nested', () => {
  it.each(['2021-04-14', '2021-03-30', '2021-03-29', '1970-01-01'])(
    'version %s has them',
    async (version) => {
      expect(await itemsIn(await TestService.start(), version)).toEqual(ALL_ITEMS);
    },
  );

  it.each([undefined, '2021-04-15', '2021-04-16', '2099-12-31'])(
    'version %s has them not',
    async (version) => {
      expect(await itemsIn(await TestService.start(), version)).toEqual(NO_ITEMS);
    },
  );

  it('items have the fields of the spec', async () => {
    const service = await TestService.start();
    const { projectId } = service;
    const page = await service.client('2021-04-14').listTemplateChecklists(projectId);
    for (const checklist of page.entities) {
      expect(checklist.template_check_items).toHaveLength(4);
      for (const item of checklist.template_check_items ?? []) {
        expect(item).toEqual({
          id: expect.any(String) as string,
          template_checklist_id: checklist.id,
          project_id: projectId,
          name: expect.any(String) as string,
          created_at: expect.any(String) as string,
          updated_at: expect.any(String) as string,
          deleted_at: null,
          device_created_at: expect.any(String) as string,
          device_updated_at: expect.any(String) as string,
          resolved_conflict: false,
        });
      }
    }
  });
});

describe('Service-Version', () => {
  it('applies to its request alone', async () => {
    const service = await TestService.start();
    const path = `/projects/${service.projectId}/template_checklists`;
    const nests = (answer: Answer) => readEntities(answer).every(holdsItems);
    const headers = { 'Service-Version': '2021-01-01' };
    expect(nests(await service.api(path, { headers }))).toBe(true);
    expect(nests(await service.api(path))).toBe(false);
  });

  it.each(['', 'latest', '2021-4-15', '15.04.2021', '2021-02-30', '2021-04-15T00:00:00Z'])(
    'that is "%s" is answered with 400',
    async (version) => {
      const service = await TestService.start();
      for (const path of ['/projects', `/projects/${service.projectId}/floorplans`]) {
        const answer = await service.api(path, { headers: { 'Service-Version': version } });
        expect(answer.status).toBe(400);
        expect(readObject(answer)['message']).toContain(`got ${JSON.stringify(version)}`);
      }
    },
  );

  it('does not change projects', async () => {
    const service = await TestService.start();
    const old = await service.api('/projects', { headers: { 'Service-Version': '2020-01-01' } });
    expect(readEntities(old)).toEqual(readEntities(await service.api('/projects')));
  });
});
