import { describe, expect, it } from 'vitest';
import { pickRow, readEntities, readObject, shareService, TestService } from '../support.ts';

function versionHeader(version: string | undefined) {
  return version === undefined ? {} : { 'Service-Version': version };
}

/** Calls all operations that return a floorplan and says which answers hold its sheet. */
async function sheetsIn(service: TestService, version: string | undefined, query = '') {
  const { projectId, running } = service;
  const { id } = running.world.floorplans.create(projectId, { name: 'Plan' });
  running.world.floorplans.uploadSheet(projectId, id);
  const list = `/projects/${projectId}/floorplans`;
  const headers = versionHeader(version);
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
  const headers = versionHeader(version);
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
  const service = shareService();

  it.each([
    ['2021-03-29', ALL_SHEETS],
    ['2020-01-01', ALL_SHEETS],
    ['1970-01-01', ALL_SHEETS],
    [undefined, NO_SHEETS],
    ['2021-03-30', NO_SHEETS],
    ['2021-03-31', NO_SHEETS],
    ['2021-04-15', NO_SHEETS],
    ['2099-12-31', NO_SHEETS],
  ])('in version %s: %j', async (version, expected) => {
    expect(await sheetsIn(service(), version)).toEqual(expected);
  });

  it.each([
    [undefined, 'true', { ...NO_SHEETS, list: true, get: true }],
    ['2021-03-30', 'true', { ...NO_SHEETS, list: true, get: true }],
    ['2021-03-29', 'false', ALL_SHEETS],
  ])('in version %s with with_current_sheet=%s: %j', async (version, value, expected) => {
    expect(await sheetsIn(service(), version, `?with_current_sheet=${value}`)).toEqual(expected);
  });

  it.each(['', 'yes', '1', 'TRUE'])('answers with_current_sheet=%s with 400', async (value) => {
    const path = `/projects/${service().projectId}/floorplans?with_current_sheet=${value}`;
    expect((await service().api(path)).status).toBe(400);
  });

  it('returns null for the sheet until a drawing is uploaded, then the last drawing', async () => {
    const service = await TestService.start();
    const { projectId, running, clock } = service;
    const { id } = running.world.floorplans.create(projectId, { name: 'Plan' });
    const client = service.makeClient();
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
  const service = shareService();

  it.each([
    ['2021-04-14', ALL_ITEMS],
    ['2021-03-30', ALL_ITEMS],
    ['2021-03-29', ALL_ITEMS],
    ['1970-01-01', ALL_ITEMS],
    [undefined, NO_ITEMS],
    ['2021-04-15', NO_ITEMS],
    ['2021-04-16', NO_ITEMS],
    ['2099-12-31', NO_ITEMS],
  ])('in version %s: %j', async (version, expected) => {
    expect(await itemsIn(service(), version)).toEqual(expected);
  });

  it('nests items with the fields of the spec', async () => {
    const service = await TestService.start();
    const { projectId } = service;
    const page = await service.makeClient('2021-04-14').listTemplateChecklists(projectId);
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
  const service = shareService();

  it('applies to its request alone', async () => {
    const path = `/projects/${service().projectId}/template_checklists`;
    const headers = { 'Service-Version': '2021-01-01' };
    expect(readEntities(await service().api(path, { headers })).every(holdsItems)).toBe(true);
    expect(readEntities(await service().api(path)).some(holdsItems)).toBe(false);
  });

  it.each(['', 'latest', '2021-4-15', '15.04.2021', '2021-02-30', '2021-04-15T00:00:00Z'])(
    'is answered with 400 when it is "%s"',
    async (version) => {
      for (const path of ['/projects', `/projects/${service().projectId}/floorplans`]) {
        const answer = await service().api(path, { headers: { 'Service-Version': version } });
        expect(answer.status).toBe(400);
        expect(readObject(answer)['message']).toContain(`got ${JSON.stringify(version)}`);
      }
    },
  );

  it('may have another name, and so may Service-Per-Page', async () => {
    const { running, api, projectId } = service();
    running.behaviour.headers = { version: 'Brand-Version', perPage: 'Brand-Per-Page' };
    const path = `/projects/${projectId}/template_checklists`;
    const branded = { 'Brand-Version': '2021-01-01', 'Brand-Per-Page': '1' };
    const [checklist, ...others] = readEntities(await api(path, { headers: branded }));
    expect(checklist && holdsItems(checklist)).toBe(true);
    expect(others).toEqual([]);
    const headers = { 'Service-Version': '2021-01-01', 'Service-Per-Page': '1' };
    const unbranded = readEntities(await api(path, { headers }));
    expect(unbranded.length).toBeGreaterThan(1);
    expect(unbranded.some(holdsItems)).toBe(false);
    const wrong = await api(path, { headers: { 'Brand-Per-Page': '0' } });
    expect(readObject(wrong)['message']).toContain('Brand-Per-Page must be');
    running.behaviour.headers = { version: 'Service-Version', perPage: 'Service-Per-Page' };
  });

  it('does not change projects', async () => {
    const old = await service().api('/projects', { headers: { 'Service-Version': '2020-01-01' } });
    expect(readEntities(old)).toEqual(readEntities(await service().api('/projects')));
  });
});
