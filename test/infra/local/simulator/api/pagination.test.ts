import { describe, expect, it } from 'vitest';
import { readEntities, readObject, shareService, TestService, type Answer } from '../support.ts';

const LISTS = ['projects', 'floorplans', 'template_checklists'] as const;

/** Adds entities to a list, each a second after the one before. */
function addEntities(service: TestService, list: (typeof LISTS)[number], count: number): void {
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

function pagingHeaders({ headers }: Answer) {
  return {
    count: headers.get('X-Count'),
    hasMore: headers.get('X-Has-More'),
    lastSyncedAt: headers.get('X-Last-Synced-At'),
  };
}

describe.each(LISTS)('the list of %s', (list) => {
  const service = shareService({ accessTokenSeconds: 86_400 });
  /** Reads a page. */
  const readPage = (cursor?: string, perPage?: string): Promise<Answer> => {
    const path = list === 'projects' ? '/projects' : `/projects/${service().projectId}/${list}`;
    const query = cursor === undefined ? '' : `?last_synced_at=${cursor}`;
    return service().api(`${path}${query}`, {
      ...(perPage !== undefined && { headers: { 'Service-Per-Page': perPage } }),
    });
  };

  it('returns deleted entities too, by updated_at and then id, page after page until X-Has-More is false', async () => {
    const whole = await readPage(undefined, '1000');
    const all = readEntities(whole);
    const keys = all.map(({ updated_at, id }) => updated_at + id);
    expect(keys).toEqual(keys.toSorted());
    expect(new Set(all.map(({ deleted_at }) => deleted_at === null))).toEqual(
      new Set([true, false]),
    );
    expect(whole.headers.get('Date')).toBe('Wed, 01 May 2024 10:00:00 GMT');
    expect(whole.headers.get('Content-Type')).toContain('application/json');
    const pages: Answer[] = [];
    let cursor: string | undefined;
    do {
      const page = await readPage(cursor, '2');
      pages.push(page);
      cursor = readEntities(page).at(-1)?.updated_at;
      expect(pagingHeaders(page)).toEqual({
        count: String(readEntities(page).length),
        hasMore: String(pages.length < Math.ceil(all.length / 2)),
        lastSyncedAt: cursor,
      });
    } while (pages.at(-1)?.headers.get('X-Has-More') === 'true');
    expect(pages.flatMap(readEntities)).toEqual(all);
    const full = await readPage(undefined, String(all.length));
    expect(pagingHeaders(full)).toMatchObject({ count: String(all.length), hasMore: 'false' });
  });

  it('returns an empty page with the cursor of its request, at any precision and offset', async () => {
    const cursors = [
      '2030-01-01T00:00:00.000Z',
      '2030-01-01T00:00:00Z',
      '2030-01-01T02:00:00.000%2B02:00',
    ];
    for (const cursor of cursors) {
      const page = await readPage(cursor);
      expect(readEntities(page)).toEqual([]);
      const lastSyncedAt = '2030-01-01T00:00:00.000Z';
      expect(pagingHeaders(page)).toEqual({ count: '0', hasMore: 'false', lastSyncedAt });
    }
  });

  it('refuses a cursor that is no timestamp, and a page size that is no whole number, with 400', async () => {
    const cursors = ['', 'yesterday', '2024-05-01', '1714557600', '2024-13-01T00:00:00.000Z'];
    const sizes = ['0', '-1', '1.5', 'many', '1e3', '0x10'];
    const pages = [
      ...cursors.map((cursor) => [cursor, readPage(cursor)] as const),
      ...sizes.map((perPage) => [perPage, readPage(undefined, perPage)] as const),
    ];
    for (const [value, page] of pages) {
      const answer = await page;
      expect(answer.status).toBe(400);
      expect(readObject(answer)['message']).toContain(`got ${JSON.stringify(value)}`);
    }
  });

  it('shows a change after the last cursor, 50 entities by default and 1000 at most', async () => {
    const before = pagingHeaders(await readPage()).lastSyncedAt ?? '';
    expect(readEntities(await readPage(before))).toEqual([]);
    addEntities(service(), list, 1);
    const changed = await readPage(before);
    expect(readEntities(changed)).toMatchObject([{ name: 'Added 0' }]);
    expect(pagingHeaders(changed).lastSyncedAt).toBe(new Date(service().clock.time).toISOString());
    addEntities(service(), list, 1000);
    for (const [perPage, count] of [
      [undefined, 50],
      ['1000', 1000],
      ['1001', 1000],
      ['99999999999999999999', 1000],
    ] as const) {
      const page = await readPage(undefined, perPage);
      expect(pagingHeaders(page)).toMatchObject({ count: String(count), hasMore: 'true' });
      expect(readEntities(page)).toHaveLength(count);
    }
  });
});

it('an empty list has no cursor', async () => {
  const { api } = await TestService.start({ size: { projects: 0, shortProjects: 0 } });
  expect(pagingHeaders(await api('/projects'))).toEqual({
    count: '0',
    hasMore: 'false',
    lastSyncedAt: null,
  });
});
