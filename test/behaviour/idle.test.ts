import { describe, expect, it } from 'vitest';
import { intercept } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { entityAt, FEED, liveSite, type Site, type SiteOptions } from '../support/site.ts';

/** A site whose lists are caught up at second 100. */
async function caughtUpSite(options: SiteOptions = {}): Promise<Site> {
  const site = await liveSite({
    lookbackMs: 60_000,
    clock: () => Date.parse(timeAt(100)),
    ...options,
  });
  await site.poll();
  return site;
}

/** The calls of one run to store, topic and quarantine, and the subjects of its events. */
async function pollAndWatch(site: Site): Promise<{ calls: string[]; events: string[] }> {
  const calls: string[] = [];
  const watch = <Port extends object>(port: Port): Port =>
    intercept(port, ({ name, proceed }) => {
      if (!/Lease$|^(openTable|loadShard|loadAllPaused|(load|save)PollHistory)$/.test(name))
        calls.push(name);
      return proceed();
    });
  const { store, topic, quarantine } = site;
  await site.poll({}, { store: watch(store), topic: watch(topic), quarantine: watch(quarantine) });
  return { calls, events: site.takeEvents().map(({ subject }) => subject) };
}

describe('an idle run', () => {
  it.each(['>', '>='] as const)('does nothing for caught up lists with %s', async (filter) => {
    const site = await caughtUpSite({ filter });
    expect(await site.feed(FEED)).toMatchObject({ cursor: timeAt(2) });
    expect(await pollAndWatch(site)).toEqual({ calls: [], events: [] });
  });
});

describe('a caught up list', () => {
  it.each([
    ['shows a new entity', 'new', 'new', 90, {}],
    ['is compared when an entity appears at the cursor', 'late', 'late', 2, {}],
    // Its parent is unchanged.
    ['is compared when a sheet changes', 'f/sheets/s', 'f', 2, { current_sheet: entityAt('s', 5) }],
  ])('%s', async (_, subject, id, second, fields) => {
    const site = await caughtUpSite({ filter: '>=' });
    site.floorplan('p', id, second, fields);
    const { calls, events } = await pollAndWatch(site);
    expect(events).toEqual([`/projects/p/floorplans/${subject}`]);
    expect(calls).toContain('loadStates');
  });
});
