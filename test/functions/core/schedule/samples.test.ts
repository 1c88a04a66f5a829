import { describe, expect, it } from 'vitest';
import { newFeed, type Feed } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { Samples } from '../../../../functions/core/schedule/samples.ts';

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

const ANY_SHARE = 0.5;
const RANDOMS = Array.from({ length: 100 }, (_, n) => n / 100);

/** The ids of all lists that may be sampled, in the order in which they are. */
function samplesOf(path: string, feeds: readonly Feed[], samples = new Samples()) {
  // The first number says that they are not any, where none was read.
  const chosen = RANDOMS.map((random) => {
    const numbers = samples.handover.length === 0 ? [ANY_SHARE] : [];
    return samples.for(path, feeds, CATALOG, () => numbers.pop() ?? random);
  });
  return [0, 1].map((n) =>
    [...new Set(chosen.flatMap((each) => each[n]?.path.slice(1) ?? []))].toSorted(),
  );
}

describe('The samples for a list that is answered with 429', () => {
  const path = `/${FLOORPLANS_P.id}`;

  it('are two of another resource and project, whichever', () => {
    const feeds = [PROJECTS, FLOORPLANS_P, CHECKLISTS_P, FLOORPLANS_Q, CHECKLISTS_Q];
    const both = [PROJECTS.id, CHECKLISTS_Q.id].toSorted();
    expect(samplesOf(path, feeds)).toEqual([both, both]);
  });

  it('are rather those of their resource that were read last', () => {
    const [, checklistsR] = listsOf('r');
    const feeds = [FLOORPLANS_P, CHECKLISTS_P, CHECKLISTS_Q, checklistsR, PROJECTS];
    const samples = new Samples();
    for (const feed of [CHECKLISTS_P, checklistsR, CHECKLISTS_Q]) samples.read(`/${feed.id}`);
    const rest = [PROJECTS.id, checklistsR.id].toSorted();
    expect(samplesOf(path, feeds, samples)).toEqual([[CHECKLISTS_Q.id], rest]);
    samples.read('/projects');
    const read = [PROJECTS.id, CHECKLISTS_Q.id].toSorted();
    expect(samplesOf(path, feeds, new Samples(samples.handover))).toEqual([read, read]);
  });

  it('are any once one of those that were read was limited, too', () => {
    const samples = new Samples([CHECKLISTS_Q.id]);
    samples.limited();
    expect(samples.handover).toEqual([]);
    const [first] = samplesOf(path, [FLOORPLANS_P, CHECKLISTS_Q, PROJECTS], samples);
    expect(first).toEqual([PROJECTS.id, CHECKLISTS_Q.id].toSorted());
  });

  it('are none that was read and is not polled any more, nor the limited list', () => {
    const samples = new Samples([FLOORPLANS_P.id, CHECKLISTS_P.id]);
    expect(samplesOf(path, [FLOORPLANS_P, PROJECTS], samples)).toEqual([[PROJECTS.id], []]);
  });

  it.each<[string, Partial<Feed>]>([
    ['fails', { failures: 1 }],
    ['is parked', { parked: 'refused' }],
  ])('are rather one of the same project than one that %s', (_, fields) => {
    const feeds = [FLOORPLANS_P, CHECKLISTS_P, { ...CHECKLISTS_Q, ...fields }];
    expect(samplesOf(path, feeds)).toEqual([[CHECKLISTS_P.id], []]);
  });

  it('are rather one that fails than one of the same resource', () => {
    const feeds = [FLOORPLANS_P, FLOORPLANS_Q, { ...CHECKLISTS_P, failures: 1 }];
    expect(samplesOf(path, feeds)).toEqual([[CHECKLISTS_P.id], []]);
  });

  it('are one of the same resource if there is no other', () => {
    expect(samplesOf(path, [FLOORPLANS_P, FLOORPLANS_Q])).toEqual([[FLOORPLANS_Q.id], []]);
  });

  it('are any others half of the time once all were limited: those that differ most may be limited alone', () => {
    const feeds = [FLOORPLANS_P, CHECKLISTS_P, FLOORPLANS_Q, CHECKLISTS_Q];
    const ids = RANDOMS.flatMap((random) => {
      const numbers = [ANY_SHARE - 0.01];
      const chosen = new Samples().for(path, feeds, CATALOG, () => numbers.pop() ?? random);
      expect(chosen).toHaveLength(2);
      return chosen.map((request) => request.path.slice(1));
    });
    expect(new Set(ids)).toEqual(new Set([CHECKLISTS_P.id, FLOORPLANS_Q.id, CHECKLISTS_Q.id]));
  });

  it('are none if there is no other list', () => {
    expect(samplesOf(path, [FLOORPLANS_P])).toEqual([[], []]);
    expect(samplesOf(path, [])).toEqual([[], []]);
  });

  it('are for an entity by its id one of another project, and may be its own resource', () => {
    const feeds = [FLOORPLANS_P, CHECKLISTS_P, FLOORPLANS_Q];
    expect(samplesOf(`${path}/f`, feeds)).toEqual([[FLOORPLANS_Q.id], []]);
  });

  it('request the smallest page, with the query of their resource', () => {
    const catalog = { ...CATALOG, perProject: [floorplans, { ...checklists, query: { a: 'b' } }] };
    const samples = new Samples([PROJECTS.id]);
    expect(samples.for(path, [FLOORPLANS_P, CHECKLISTS_Q, PROJECTS], catalog, () => 0)).toEqual([
      { path: '/projects', perPage: 1 },
      { path: `/${CHECKLISTS_Q.id}`, perPage: 1, query: { a: 'b' } },
    ]);
  });
});
