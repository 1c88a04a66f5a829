import { describe, expect, it } from 'vitest';
import { intercept } from '../support/intercept.ts';
import { at } from '../support/list-service.ts';
import { entity, floorplansOf, liveSite, type Site, type SiteOptions } from '../support/site.ts';

/** A site whose lists are settled at second 100. */
async function settledSite(options: SiteOptions = {}): Promise<Site> {
  const site = await liveSite({ lookbackMs: 60_000, clock: () => Date.parse(at(100)), ...options });
  await site.poll();
  return site;
}

/** The calls of one run that read or write, publish or set aside, and what it published. */
async function pollAndWatch(site: Site): Promise<{ calls: string[]; events: string[] }> {
  const calls: string[] = [];
  const watch = <Port extends object>(port: Port): Port =>
    intercept(port, ({ name, proceed }) => {
      if (!/Lease$|^(openTable|loadShard)$/.test(name)) calls.push(name);
      return proceed();
    });
  const { store, topic, quarantine } = site;
  await site.poll({}, { store: watch(store), topic: watch(topic), quarantine: watch(quarantine) });
  return { calls, events: site.takeEvents().map(({ subject }) => subject) };
}

describe('an idle run', () => {
  it.each(['>', '>='] as const)(
    'reads, writes and publishes nothing for settled lists where the filter is %s',
    async (filter) => {
      const site = await settledSite({ filter });
      expect(await site.feed('projects/p/floorplans')).toMatchObject({ cursor: at(2) });
      expect(await pollAndWatch(site)).toEqual({ calls: [], events: [] });
    },
  );

  it('reads the overlap again until the list is settled, and writes that once', async () => {
    let now = 30;
    const site = await liveSite({ lookbackMs: 60_000, clock: () => Date.parse(at(now)) });
    const first = await site.feed('projects/p/floorplans');
    expect(first?.cursor).toBe(at(-58));
    now = 50;
    expect((await pollAndWatch(site)).calls).not.toContain('commitFeed');
    expect(await site.feed('projects/p/floorplans')).toEqual(first);
    now = 70;
    expect((await pollAndWatch(site)).calls).toContain('commitFeed');
    expect(await pollAndWatch(site)).toEqual({ calls: [], events: [] });
  });
});

describe('a settled list', () => {
  it('shows what is new beside what is at its cursor', async () => {
    const site = await settledSite({ filter: '>=' });
    site.floorplan('p', 'new', 90);
    expect((await pollAndWatch(site)).events).toEqual(['/projects/p/floorplans/new']);
  });

  it('is looked up when something else than before is at its cursor', async () => {
    const site = await settledSite({ filter: '>=' });
    site.floorplan('p', 'late', 2);
    const { calls, events } = await pollAndWatch(site);
    expect(events).toEqual(['/projects/p/floorplans/late']);
    expect(calls).toContain('loadStates');
  });

  it('is looked up when what is nested changed though its parent was not touched', async () => {
    const site = await settledSite({ filter: '>=' });
    site.floorplan('p', 'f', 2, { current_sheet: entity('s', 5) });
    expect((await pollAndWatch(site)).events).toEqual(['/projects/p/floorplans/f/sheets/s']);
  });

  it('does not look up again what has no time and cannot be worked with', async () => {
    const site = await settledSite();
    site.api.answerNext(
      floorplansOf('p'),
      ...Array.from({ length: 5 }, () => () => ({
        entities: [],
        invalid: [{ value: { id: 'x' }, reason: 'updated_at must be …' }],
        hasMore: false,
        readAfter: at(100),
      })),
    );
    await site.poll();
    expect(site.quarantine.items).toHaveLength(1);
    await site.poll();
    expect(await pollAndWatch(site)).toEqual({ calls: [], events: [] });
  });
});
