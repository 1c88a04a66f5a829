import { describe, expect, it } from 'vitest';
import { readEntities, readObject, TestService, type Answer } from '../support.ts';

const LISTS = ['projects', 'floorplans', 'template_checklists'] as const;
type ListName = (typeof LISTS)[number];

function pathOf(list: ListName, projectId: string): string {
  return list === 'projects' ? '/projects' : `/projects/${projectId}/${list}`;
}

/** Adds entities, each a second after the one before. */
function add(service: TestService, list: ListName, count: number): void {
  const { projects, floorplans, checklists } = service.running.world;
  const { projectId } = service;
  for (let index = 0; index < count; index += 1) {
    service.clock.advance(1000);
    const name = `Added ${index}`;
    if (list === 'projects') projects.create({ name });
    else if (list === 'floorplans') floorplans.create(projectId, { name });
    else checklists.create(projectId, { name }, 1);
  }
}

/** The pagination headers of a list's answer. */
function headersOf({ headers }: Answer) {
  return {
    count: headers.get('X-Count'),
    hasMore: headers.get('X-Has-More'),
    lastSyncedAt: headers.get('X-Last-Synced-At'),
  };
}

describe.each(LISTS)('the list of %s', (list) => {
  it('has all entities in the order of updated_at, then id, deleted ones too', async () => {
    const service = await TestService.start();
    const listed = readEntities(await service.api(pathOf(list, service.projectId)));
    const keys = listed.map(({ updated_at, id }) => updated_at + id);
    expect(keys).toEqual(keys.toSorted());
    expect(listed.some(({ deleted_at }) => deleted_at !== null)).toBe(true);
    expect(listed.some(({ deleted_at }) => deleted_at === null)).toBe(true);
  });

  it('is paged: every page goes on after the one before, until X-Has-More is false', async () => {
    const service = await TestService.start();
    const path = pathOf(list, service.projectId);
    const all = readEntities(await service.api(path, { headers: { 'Service-Per-Page': '1000' } }));

    const pages: Answer[] = [];
    let hasMore = true;
    let cursor = '';
    while (hasMore) {
      const page = await service.api(`${path}${cursor}`, { headers: { 'Service-Per-Page': '2' } });
      pages.push(page);
      expect(headersOf(page)).toEqual({
        count: String(readEntities(page).length),
        hasMore: String(pages.length < Math.ceil(all.length / 2)),
        lastSyncedAt: readEntities(page).at(-1)?.updated_at,
      });
      cursor = `?last_synced_at=${headersOf(page).lastSyncedAt ?? ''}`;
      hasMore = headersOf(page).hasMore === 'true';
    }
    expect(pages.flatMap(readEntities)).toEqual(all);
  });

  it('has 50 entities on a page by default', async () => {
    const service = await TestService.start();
    add(service, list, 60);
    const page = await service.api(pathOf(list, service.projectId));
    expect(readEntities(page)).toHaveLength(50);
    expect(headersOf(page)).toMatchObject({ count: '50', hasMore: 'true' });
  });

  it('has at most 1000 entities on a page, also when more are asked for', async () => {
    const service = await TestService.start();
    add(service, list, 1001);
    const path = pathOf(list, service.projectId);
    for (const perPage of ['1000', '1001', '99999999999999999999']) {
      const page = await service.api(path, { headers: { 'Service-Per-Page': perPage } });
      expect(headersOf(page)).toMatchObject({ count: '1000', hasMore: 'true' });
      expect(readEntities(page)).toHaveLength(1000);
    }
  });

  it('says X-Has-More: false on a page that is exactly full and the last', async () => {
    const service = await TestService.start();
    const path = pathOf(list, service.projectId);
    const size = readEntities(await service.api(path)).length;
    const page = await service.api(path, { headers: { 'Service-Per-Page': String(size) } });
    expect(headersOf(page)).toMatchObject({ count: String(size), hasMore: 'false' });
  });

  it('shows a change to whoever reads on from an earlier cursor', async () => {
    const service = await TestService.start();
    const path = pathOf(list, service.projectId);
    const before = headersOf(await service.api(path)).lastSyncedAt ?? '';
    expect(readEntities(await service.api(`${path}?last_synced_at=${before}`))).toEqual([]);
    add(service, list, 1);
    const page = await service.api(`${path}?last_synced_at=${before}`);
    expect(readEntities(page)).toMatchObject([{ name: 'Added 0' }]);
    expect(headersOf(page).lastSyncedAt).toBe(new Date(service.clock.time).toISOString());
  });

  it('gives an empty page the cursor of its request', async () => {
    const service = await TestService.start();
    const path = pathOf(list, service.projectId);
    const page = await service.api(`${path}?last_synced_at=2030-01-01T00:00:00.000Z`);
    expect(readEntities(page)).toEqual([]);
    expect(headersOf(page)).toEqual({
      count: '0',
      hasMore: 'false',
      lastSyncedAt: '2030-01-01T00:00:00.000Z',
    });
  });

  it('takes last_synced_at with other precisions and offsets', async () => {
    const service = await TestService.start();
    const path = pathOf(list, service.projectId);
    for (const cursor of ['2030-01-01T00:00:00Z', '2030-01-01T02:00:00.000%2B02:00']) {
      const page = await service.api(`${path}?last_synced_at=${cursor}`);
      expect(headersOf(page).lastSyncedAt).toBe('2030-01-01T00:00:00.000Z');
    }
  });

  it.each(['', 'yesterday', '2024-05-01', '1714557600', '2024-13-01T00:00:00.000Z'])(
    'answers last_synced_at=%s with 400',
    async (cursor) => {
      const service = await TestService.start();
      const path = pathOf(list, service.projectId);
      const answer = await service.api(`${path}?last_synced_at=${cursor}`);
      expect(answer.status).toBe(400);
      expect(readObject(answer)['message']).toContain(`got ${JSON.stringify(cursor)}`);
    },
  );

  it.each(['0', '-1', '1.5', 'many', '1e3', '0x10'])(
    'answers Service-Per-Page: %s with 400',
    async (perPage) => {
      const service = await TestService.start();
      const path = pathOf(list, service.projectId);
      const answer = await service.api(path, { headers: { 'Service-Per-Page': perPage } });
      expect(answer.status).toBe(400);
      expect(readObject(answer)['message']).toContain(`got ${JSON.stringify(perPage)}`);
    },
  );

  it('carries the time of the service in the Date header', async () => {
    const service = await TestService.start();
    const answer = await service.api(pathOf(list, service.projectId));
    expect(answer.headers.get('Date')).toBe('Wed, 01 May 2024 10:00:00 GMT');
    expect(answer.headers.get('Content-Type')).toContain('application/json');
  });
});

it('an empty list has no cursor', async () => {
  const service = await TestService.start({ size: { projects: 0, shortProjects: 0 } });
  expect(headersOf(await service.api('/projects'))).toEqual({
    count: '0',
    hasMore: 'false',
    lastSyncedAt: null,
  });
});

it('the typed client reads every page of a list', async () => {
  const service = await TestService.start();
  add(service, 'floorplans', 30);
  const client = service.client();
  const { projectId } = service;
  const names: unknown[] = [];
  let page = await client.listFloorplans(projectId, { perPage: 7 });
  for (;;) {
    names.push(...page.entities.map((floorplan) => floorplan['name']));
    if (!page.hasMore || page.lastSyncedAt === undefined) break;
    page = await client.listFloorplans(projectId, { perPage: 7, lastSyncedAt: page.lastSyncedAt });
  }
  expect(names).toHaveLength(36);
  expect(names.slice(6)).toEqual(Array.from({ length: 30 }, (_, index) => `Added ${index}`));
});
