import { describe, expect, it } from 'vitest';
import { change, isAtWork } from '../support/change.ts';
import { floorplansOf, Site } from '../support/site.ts';

const DAY_MS = 86_400_000;
const FLOORPLANS = floorplansOf('p');

/** A site whose service has our clock, with a caught-up notifier. */
async function knownSite(): Promise<Site> {
  const site: Site = new Site({ clock: () => site.clock.now() });
  site.project('p', 1);
  site.project('q', 2);
  site.floorplans('p', 2, 8);
  await site.poll();
  site.clock.advance(60_000);
  await site.catchUp();
  return site;
}

/** Reconciles all lists. @returns its events. */
async function reconcile(site: Site) {
  await change(site, { command: 'reconcile', scope: {} });
  for (let n = 0; n < 20 && (await isAtWork(site)); n += 1) {
    await site.poll().catch(() => undefined);
    site.clock.advance(60_000);
  }
  return site.takeEvents();
}

describe('an entity that went without a trace, and is back as it was after the retention', () => {
  it('is restored with a sequence after that of its delete', async () => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    const [deleted] = await reconcile(site);
    expect(deleted).toMatchObject({ type: 'floorplan.deleted', partitionkey: 'f3' });
    site.clock.advance(401 * DAY_MS);
    expect(site.store.expire(site.clock.now())).toEqual([]);
    site.floorplan('p', 'f3', 3);
    // Its version is the same: polling sees no change.
    expect(await site.events()).toEqual([]);
    const [restored] = await reconcile(site);
    expect(restored).toMatchObject({ type: 'floorplan.restored', partitionkey: 'f3' });
    expect((restored?.sequence ?? '') > (deleted?.sequence ?? '')).toBe(true);
    expect(await reconcile(site)).toEqual([]);
  });
});
