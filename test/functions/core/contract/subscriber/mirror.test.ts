import { beforeEach, describe, expect, it } from 'vitest';
import {
  initialLoad,
  isNewer,
  verifyMirror,
  versionOf,
  type EntityVersion,
  type ListOptions,
} from '../../../../../functions/core/contract/index.ts';
import { ServiceError } from '../../../../../functions/core/model/errors.ts';
import { timeAt, type ListService } from '../../../../support/list-service.ts';
import type { Site } from '../../../../support/site.ts';
import {
  busySite,
  deletedAt,
  entityAt,
  floorplansOf,
  liveSite,
  PROJECTS,
} from '../../../../support/site.ts';

const SOURCE = 'https://service.example/api/v3';

let mirror: Map<string, EntityVersion>;

beforeEach(() => {
  mirror = new Map();
});

const save = (version: EntityVersion): Promise<void> => {
  const key = version.source + version.subject;
  if (isNewer(version, mirror.get(key))) mirror.set(key, version);
  return Promise.resolve();
};
const find = (source: string, subject: string) => Promise.resolve(mirror.get(source + subject));
/** The subjects of the mirror. */
const subjects = () => [...mirror.values()].map(({ subject }) => subject).sort();

const answerOf = (
  body: string | Uint8Array<ArrayBuffer>,
  get: (name: string) => string | null,
  status = 200,
) => {
  return { status, headers: { get }, arrayBuffer: () => new Response(body).arrayBuffer() };
};

/** Answers requests as the service does over HTTP. */
function optionsFor(api: ListService, perPage = 2, zone = 'Z'): ListOptions {
  const get: ListOptions['get'] = async (url, headers) => {
    const { pathname, searchParams } = new URL(url);
    const lastSyncedAt = searchParams.get('last_synced_at');
    try {
      const page = await api.fetchPage({
        path: pathname.replace('/api/v3', ''),
        perPage: Number(headers['Service-Per-Page']),
        ...(lastSyncedAt !== null && { lastSyncedAt }),
      });
      const values = new Map([['X-Has-More', String(page.hasMore)]]);
      if (page.lastSyncedAt !== undefined)
        values.set('X-Last-Synced-At', page.lastSyncedAt.replace('Z', zone));
      const body = [...page.entities, ...page.invalid.map(({ value }) => value)];
      return answerOf(JSON.stringify(body), (name) => values.get(name) ?? null);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return answerOf('', () => null, 404);
    }
  };
  return { source: SOURCE, get, perPage };
}

const load = (api: ListService, perPage?: number) =>
  initialLoad({ ...optionsFor(api, perPage), save });
const verify = async ({ api }: Site, changedBefore = timeAt(60)) => {
  const report = await verifyMirror({ ...optionsFor(api), find, changedBefore });
  return report.differences.map(({ kind, version }) => `${kind} ${version.subject}`);
};

describe('the initial load', () => {
  it('saves every entity, nested ones too, as their events would', async () => {
    const site = await busySite();
    const { entityCount, gaps } = await load(site.api);
    expect({ count: mirror.size, gaps }).toEqual({ count: entityCount, gaps: [] });
    expect(subjects()).toEqual(
      expect.arrayContaining([
        '/projects/p/floorplans/f6/sheets/s',
        '/projects/p/template_checklists/c/template_check_items/k',
      ]),
    );
    expect(await find(SOURCE, '/projects/p/floorplans/f3')).toMatchObject({ isDeleted: true });
    await site.poll();
    for (const event of site.takeEvents()) {
      const saved = await find(SOURCE, event.subject);
      if (event.subject.includes('template_check_items/j')) continue;
      expect(isNewer(versionOf(event), saved), event.subject).toBe(false);
      expect(saved, event.subject).toEqual(versionOf(event));
    }
  });

  it('says which lists are refused, and which entities are invalid', async () => {
    const site = await liveSite();
    site.api.refuse(floorplansOf('p'));
    site.api.put(PROJECTS, { id: 'x', updated_at: 'never' });
    const { gaps } = await load(site.api);
    expect(gaps).toHaveLength(2);
    expect(gaps).toContainEqual({
      path: floorplansOf('p'),
      reason: 'the service answered 404',
    });
    expect(gaps).toEqual(
      expect.arrayContaining([
        { path: `${PROJECTS}/x`, reason: expect.stringContaining('updated_at must') as string },
      ]),
    );
  });

  it('reads an additional list of the account once, and reports a refusal', async () => {
    const { api } = await liveSite();
    api.put('/users', entityAt('u', 3));
    const additionalPaths = ['/users', '/teams'];
    const { gaps } = await initialLoad({ ...optionsFor(api), save, additionalPaths });
    expect(subjects()).toContain('/users/u');
    expect(gaps).toEqual([{ path: '/teams', reason: 'the service answered 404' }]);
  });

  it('fails if the service fails, or leads in circles', async () => {
    const { api } = await liveSite();
    const answer = (status: number, body: unknown, more = 'false') =>
      initialLoad({
        ...{ ...optionsFor(api), save },
        get: () =>
          Promise.resolve(
            answerOf(JSON.stringify(body), (name) => (name === 'X-Has-More' ? more : null), status),
          ),
      });
    for (const status of [500, 404]) {
      await expect(answer(status, [])).rejects.toThrow(
        `${SOURCE}/projects: the answer is ${status}`,
      );
    }
    expect(await answer(204, undefined)).toEqual({ entityCount: 0, gaps: [] });
    await expect(answer(200, {})).rejects.toThrow(`${SOURCE}/projects: it holds no array`);
    await expect(answer(200, [], 'true')).rejects.toThrow(
      'has more, but does not go on after last_synced_at (none)',
    );
    await expect(answer(200, [], '')).rejects.toThrow('X-Has-More must be true or false');
    await expect(answer(200, [entityAt('p', 1)], 'true')).rejects.toThrow(
      'has more, but does not go on after',
    );
  });
});

describe('a service that the poller reads', () => {
  const rows = [1, 2, 3, 4, 5].map((n) => entityAt(`urn:${n}`, n, { large: 0 }));
  /** A service that writes its headers in its own way. @param write also gets the sent cursor. */
  const serving = (
    write: (name: string, value: string, from: string) => string | null,
  ): ListOptions['get'] => {
    let requestCount = 0;
    return (url) => {
      requestCount += 1;
      if (requestCount > 50) throw new Error('50 requests for few entities');
      const { pathname, searchParams } = new URL(url);
      const from = searchParams.get('last_synced_at') ?? '';
      const list = pathname === '/api/v3/projects' ? rows : [entityAt('f', 9)];
      const later = list.filter(({ updated_at }) => String(updated_at) > from);
      const values = {
        'X-Has-More': String(later.length > 2),
        'X-Count': String(Math.min(2, later.length)),
        'X-Last-Synced-At': (later[1]?.['updated_at'] ?? '0001-01-01T00:00:00.000Z') as string,
      };
      const body = JSON.stringify(later.slice(0, 2)).replaceAll(
        '"large":0',
        '"large":9007199254740993',
      );
      const headers = new Map(Object.entries(values));
      return Promise.resolve(
        answerOf(body, (name) => {
          const value = write(name, headers.get(name) ?? '', from);
          return value === '' ? null : value;
        }),
      );
    };
  };

  it.each<[string, (name: string, value: string, from: string) => string]>([
    ['writes True and False', (_, value) => value.replace(/^[tf]/, (c) => c.toUpperCase())],
    ['sends no cursor', (name, value) => (name === 'X-Last-Synced-At' ? '' : value)],
    [
      'repeats the cursor that it was sent',
      (name, value, from) => (name === 'X-Last-Synced-At' && from !== '' ? from : value),
    ],
  ])(
    'and which %s is loaded whole, with its numbers and the subjects of its events',
    async (_, write) => {
      const options = { source: SOURCE, perPage: 2, get: serving(write) };
      expect(await initialLoad({ ...options, save })).toMatchObject({ gaps: [] });
      for (const n of [1, 2, 3, 4, 5]) {
        const saved = mirror.get(`${SOURCE}/projects/urn:${n}`);
        expect(JSON.stringify(saved?.object)).toContain('"large":9007199254740993');
        // As events name it: ids are escaped in the path of a list.
        expect(subjects()).toContain(`/projects/urn%3A${n}/floorplans/f`);
      }
      const report = await verifyMirror({ ...options, find, changedBefore: timeAt(60) });
      expect(report).toMatchObject({ checkedCount: mirror.size, differences: [], gaps: [] });
    },
  );

  it('and whose bytes are no text is not loaded with others in their place', async () => {
    const get = (name: string) => (name === 'X-Has-More' ? 'false' : null);
    const body = Buffer.from(JSON.stringify([entityAt('p', 1, { name: 'Café' })]), 'latin1');
    const inLatin1 = () => Promise.resolve(answerOf(body, get));
    const loaded = initialLoad({ source: SOURCE, get: inLatin1, save });
    await expect(loaded).rejects.toThrow(`${SOURCE}/projects: the body must be UTF-8`);
    expect(mirror.size).toBe(0);
  });
});

describe('the verification of a mirror', () => {
  it('finds no difference after a load and all events since, in any order', async () => {
    const site = await liveSite();
    await load(site.api);
    site.floorplan('p', 'f', 20, { name: 'Cellar' });
    await site.poll();
    site.floorplan('p', 'f', 21, deletedAt(21));
    site.project('q', 22);
    await site.poll();
    for (const event of site.takeEvents().reverse()) await save(versionOf(event));
    expect(await verify(site)).toEqual([]);
  });

  it('finds versions that are missing, outdated, or deleted in one place only', async () => {
    const site = await liveSite();
    await load(site.api);
    const gone = await find(SOURCE, '/projects/p/floorplans/gone');
    if (gone) mirror.set(SOURCE + gone.subject, { ...gone, isDeleted: false });
    site.floorplan('p', 'f', 20, { name: 'Cellar' });
    site.floorplan('p', 'new', 21);
    expect(await verify(site)).toEqual([
      'deletion /projects/p/floorplans/gone',
      'outdated /projects/p/floorplans/f',
      'missing /projects/p/floorplans/new',
    ]);
  });

  it('leaves out entities whose events may be under way', async () => {
    const site = await liveSite();
    await load(site.api);
    site.floorplan('p', 'f', 20, { name: 'Cellar' });
    expect(await verify(site, timeAt(20))).toEqual([]);
    expect(await verify(site, timeAt(21))).toEqual(['outdated /projects/p/floorplans/f']);
    await expect(verify(site, 'yesterday')).rejects.toThrow('changedBefore is no ISO 8601');
  });
});
