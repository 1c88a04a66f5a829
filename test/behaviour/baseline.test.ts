import { describe, expect, it } from 'vitest';
import {
  FEED,
  floorplansOf,
  PROJECTS,
  serviceFailure,
  Site,
  stopAfter,
  entityAt,
} from '../support/site.ts';

const MINUTE = 60_000;

/** A new site whose answers have a `Date`. */
function newSite({ hasDate = true } = {}): Site {
  const site: Site = new Site(hasDate ? { clock: () => site.clock.now() } : {});
  site.project('p', 1);
  return site;
}

/** Changes a floorplan now. */
function change(site: Site, id: string): void {
  const updated_at = new Date(site.clock.now()).toISOString();
  site.api.put(floorplansOf('p'), { ...entityAt(id, 1, { name: 'new' }), updated_at });
}

/** Some runs, a minute apart, and their events. */
async function runs(site: Site, count: number): Promise<string[]> {
  const events: string[] = [];
  for (let n = 0; n < count; n += 1) {
    events.push(...(await site.events({ runId: `run-${n}` })));
    site.clock.advance(MINUTE);
  }
  return events.sort();
}

describe('what changes while a baseline takes several runs', () => {
  it('is published, whether the list was read that far or not', async () => {
    const site = newSite();
    site.floorplans('p', 10, 20);
    await stopAfter(site, floorplansOf('p'), 2);
    expect(await site.feed(FEED)).toMatchObject({ phase: 'baseline' });
    site.clock.advance(MINUTE);
    change(site, 'f10');
    change(site, 'f18');
    expect(await runs(site, 2)).toEqual(['floorplan.created f18', 'floorplan.updated f10']);
  });

  it('is published for projects, too', async () => {
    const site = newSite();
    for (let n = 2; n < 9; n += 1) site.project(`p${n}`, n);
    await stopAfter(site, PROJECTS, 2);
    site.clock.advance(MINUTE);
    const updated_at = new Date(site.clock.now()).toISOString();
    site.api.put(PROJECTS, { ...entityAt('p8', 1, { account_id: 7 }), updated_at });
    expect(await runs(site, 2)).toEqual(['project.created p8']);
  });

  it('is published for a list that could not be read at first', async () => {
    const site = newSite();
    site.floorplan('p', 'old', 2);
    const fail = () => {
      throw serviceFailure;
    };
    site.api.answerNext(floorplansOf('p'), fail, fail);
    expect(await runs(site, 2)).toEqual([]);
    change(site, 'new');
    expect(await runs(site, 3)).toEqual(['floorplan.created new']);
  });
});
