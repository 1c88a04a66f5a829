import { beforeEach, describe, expect, it } from 'vitest';
import { parseTimestamp } from '../../functions/core/model/timestamp.ts';
import type { Page, ServiceApi } from '../../functions/core/ports/service-api.ts';

type ReadApi = Pick<ServiceApi, 'fetchPage' | 'fetchEntity'>;

/** A service that holds no project yet. */
export interface OpenServiceApi {
  readonly api: ReadApi;
  /** Makes a project, later than those before. @returns its id. */
  readonly makeProject: (name: string) => string;
}

const PROJECTS = '/projects';

/** The contract of every {@link ServiceApi}. */
export function describeServiceApi(name: string, open: () => Promise<OpenServiceApi>): void {
  describe(`${name} as the service's lists`, () => {
    let api: ReadApi;
    let makeProject: OpenServiceApi['makeProject'];

    beforeEach(async () => {
      ({ api, makeProject } = await open());
    });

    const names = (page: Page) => page.entities.map((entity) => entity['name']);

    it('an empty list is one empty page', async () => {
      const page = await api.fetchPage({ path: PROJECTS, perPage: 2 });
      expect(page).toMatchObject({ entities: [], invalid: [], hasMore: false });
    });

    it('a page holds the entities as they are, and the cursor of the last one', async () => {
      const id = makeProject('Tower');
      const page = await api.fetchPage({ path: PROJECTS, perPage: 2 });
      expect(page.entities).toMatchObject([{ id, name: 'Tower', deleted_at: null }]);
      expect(page.hasMore).toBe(false);
      expect(parseTimestamp(page.lastSyncedAt)).toBe(parseTimestamp(page.entities[0]?.updated_at));
    });

    it('following the cursor shows every entity once, in the order of change', async () => {
      for (const each of ['a', 'b', 'c', 'd', 'e']) makeProject(each);
      const first = await api.fetchPage({ path: PROJECTS, perPage: 2 });
      const next = (page: Page) =>
        api.fetchPage({ path: PROJECTS, perPage: 2, lastSyncedAt: page.lastSyncedAt ?? '' });
      const second = await next(first);
      const third = await next(second);
      expect([first, second, third].map(names)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
      expect([first, second, third].map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
    });

    it('nothing comes after the last cursor until something changes', async () => {
      makeProject('a');
      const { lastSyncedAt = '' } = await api.fetchPage({ path: PROJECTS, perPage: 2 });
      const after = { path: PROJECTS, perPage: 2, lastSyncedAt };
      expect(names(await api.fetchPage(after))).toEqual([]);
      makeProject('b');
      expect(names(await api.fetchPage(after))).toEqual(['b']);
    });

    it('a list that is not there is refused', async () => {
      const path = '/projects/7d4f6a51-0000-4000-8000-000000000001/floorplans';
      await expect(api.fetchPage({ path, perPage: 2 })).rejects.toMatchObject({ status: 404 });
    });

    it('one entity is found by its id, and one that is not there is missing', async () => {
      const id = makeProject('Tower');
      const found = await api.fetchEntity?.({ path: `${PROJECTS}/${id}` });
      expect(found).toMatchObject({ verdict: 'found', entity: { id, name: 'Tower' } });
      const path = `${PROJECTS}/7d4f6a51-0000-4000-8000-000000000001`;
      expect(await api.fetchEntity?.({ path })).toMatchObject({ verdict: 'missing' });
    });

    it('a request that is stopped fails with the reason it was stopped for', async () => {
      const reason = new Error('time is up');
      const stopped = api.fetchPage({ path: PROJECTS, perPage: 2 }, AbortSignal.abort(reason));
      await expect(stopped).rejects.toBe(reason);
    });
  });
}
