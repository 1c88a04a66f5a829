import { describe, expect, it } from 'vitest';
import { newFeed, type Feed } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { sampleFor } from '../../../../functions/core/schedule/sample-for.ts';

const CATALOG = makeCatalog();
const { projects, perProject } = CATALOG;
const [floorplans, checklists] = perProject;
if (floorplans === undefined || checklists === undefined) throw new Error('unreachable');

const PROJECTS = newFeed(projects, 'live');
const listsOf = (id: string): readonly [Feed, Feed] => [
  newFeed(floorplans, 'live', { id }),
  newFeed(checklists, 'live', { id }),
];
const [FLOORPLANS_P, CHECKLISTS_P] = listsOf('p');
const [FLOORPLANS_Q, CHECKLISTS_Q] = listsOf('q');

/** The ids of all lists that may be sampled. */
function samplesOf(path: string, feeds: readonly Feed[]): readonly (string | undefined)[] {
  const chosen = Array.from({ length: 100 }, (_, n) =>
    sampleFor(path, feeds, CATALOG, () => n / 100),
  );
  return [...new Set(chosen.map((request) => request?.path.slice(1)))].toSorted();
}

describe('The sample for a list that is answered with 429', () => {
  const path = `/${FLOORPLANS_P.id}`;

  it('is one of another resource and project, whichever', () => {
    const feeds = [PROJECTS, FLOORPLANS_P, CHECKLISTS_P, FLOORPLANS_Q, CHECKLISTS_Q];
    expect(samplesOf(path, feeds)).toEqual([PROJECTS.id, CHECKLISTS_Q.id].toSorted());
  });

  it.each<[string, Partial<Feed>]>([
    ['fails', { failures: 1 }],
    ['is parked', { parked: 'refused' }],
  ])('is rather one of the same project than one that %s', (_, fields) => {
    const feeds = [FLOORPLANS_P, CHECKLISTS_P, { ...CHECKLISTS_Q, ...fields }];
    expect(samplesOf(path, feeds)).toEqual([CHECKLISTS_P.id]);
  });

  it('is rather one that fails than one of the same resource', () => {
    const feeds = [FLOORPLANS_P, FLOORPLANS_Q, { ...CHECKLISTS_P, failures: 1 }];
    expect(samplesOf(path, feeds)).toEqual([CHECKLISTS_P.id]);
  });

  it('is one of the same resource if there is no other', () => {
    expect(samplesOf(path, [FLOORPLANS_P, FLOORPLANS_Q])).toEqual([FLOORPLANS_Q.id]);
  });

  it('is none if there is no other list', () => {
    expect(samplesOf(path, [FLOORPLANS_P])).toEqual([undefined]);
    expect(samplesOf(path, [])).toEqual([undefined]);
  });

  it('is for an entity by its id one of another project, and may be its own resource', () => {
    const feeds = [FLOORPLANS_P, CHECKLISTS_P, FLOORPLANS_Q];
    expect(samplesOf(`${path}/f`, feeds)).toEqual([FLOORPLANS_Q.id]);
  });

  it('requests the smallest page, with the query of its resource', () => {
    const catalog = { ...CATALOG, perProject: [floorplans, { ...checklists, query: { a: 'b' } }] };
    expect(sampleFor(path, [FLOORPLANS_P, CHECKLISTS_Q], catalog, () => 0)).toEqual({
      path: `/${CHECKLISTS_Q.id}`,
      perPage: 1,
      query: { a: 'b' },
    });
    expect(sampleFor(path, [PROJECTS], catalog, () => 0)).toEqual({
      path: '/projects',
      perPage: 1,
    });
  });
});
