import { describe, expect, it } from 'vitest';
import { makeCatalog, type CatalogOptions } from '../../functions/core/model/resource-catalog.ts';
import { checklistsOf, floorplansOf, PROJECTS, Site } from '../support/site.ts';

const selecting = (options: CatalogOptions) => ({ catalog: makeCatalog(options) });
const FLOORPLANS = selecting({ resources: ['floorplans'] });
const NONE = selecting({ resources: [] });
const ONLY_P = selecting({ projects: ['p'] });
const named = (name: string) => ({ name });

/** Two projects, `p` (Tower 1) and `q` (Bridge), each with a floorplan and a checklist. */
function twoProjects(): Site {
  const site: Site = new Site({ clock: () => site.clock.now() });
  for (const [id, name] of [
    ['p', 'Tower 1'],
    ['q', 'Bridge'],
  ] as const) {
    site.project(id, 1, named(name));
    site.floorplan(id, `f-${id}`, 2);
    site.checklist(id, `c-${id}`, 2, []);
  }
  return site;
}

describe('lists that resources leaves out', () => {
  it('are never requested, and do not count as lists', async () => {
    const site = twoProjects();
    const expected = [PROJECTS, floorplansOf('p'), floorplansOf('q')];
    expect((await site.paths(FLOORPLANS)).sort()).toEqual([...expected].sort());
    expect(await site.poll(FLOORPLANS)).toMatchObject({ feeds: 3, polled: 3, waiting: 0 });
  });

  it('lose nothing: what changed meanwhile is published when they are selected again', async () => {
    const site = twoProjects();
    await site.catchUp();
    site.checklist('p', 'c-p', 10, []);
    site.floorplan('p', 'f-p', 10, named('Level 1'));
    expect(await site.events(FLOORPLANS)).toEqual(['floorplan.updated f-p']);
    site.checklist('q', 'new', 11, []);
    expect(await site.events(FLOORPLANS)).toEqual([]);
    expect(await site.events()).toEqual([
      'template_checklist.updated c-p',
      'template_checklist.created new',
    ]);
  });

  it.each([
    ['silent', []] as const,
    ['emit', ['floorplan.created f-p', 'floorplan.created f-q']] as const,
  ])(
    'begin with the baseline %s when they are selected for the first time',
    async (baseline, events) => {
      const site = twoProjects();
      await site.poll({ ...NONE, baseline });
      site.takeEvents();
      expect((await site.events({ ...FLOORPLANS, baseline })).sort()).toEqual(events);
      site.floorplan('p', 'f-p', 20, named('Level 1'));
      expect(await site.events({ ...FLOORPLANS, baseline })).toEqual(['floorplan.updated f-p']);
    },
  );
});

describe('projects that are not selected', () => {
  it('have no lists polled', async () => {
    const site = twoProjects();
    const paths = await site.paths(ONLY_P);
    expect(paths.sort()).toEqual([PROJECTS, floorplansOf('p'), checklistsOf('p')].sort());
  });

  it('raise events themselves, and lose no change of their lists', async () => {
    const site = twoProjects();
    await site.catchUp();
    site.project('q', 10, named('Bridge 2'));
    site.floorplan('q', 'f-q', 10, named('Level 1'));
    expect(await site.events(ONLY_P)).toEqual(['project.updated q']);
    expect(await site.events()).toEqual(['floorplan.updated f-q']);
  });
});
