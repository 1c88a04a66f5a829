import { describe, expect, it } from 'vitest';
import { control } from '../../../functions/control/control.ts';
import type { QuarantineChangeAnswer } from '../../../functions/control/protocol.ts';
import { makeCatalog } from '../../../functions/core/model/resource-catalog.ts';
import type { QuarantinedItem } from '../../../functions/core/ports/quarantine.ts';
import { isAtWork, jobsOf } from '../../support/change.ts';
import { timeAt } from '../../support/list-service.ts';
import { checklistsOf, FEED, liveSite, type Site } from '../../support/site.ts';
import { NO_WEBHOOKS } from './no-webhooks.ts';

const CHECKLISTS = checklistsOf('p').slice(1);

/** An item of a list; `second` is its `updated_at`. */
function itemOf(id: string, second?: number, fields: Partial<QuarantinedItem> = {}) {
  const feed = fields.feed ?? FEED;
  return {
    ...{ subject: `/${feed}/${id}`, feed, reason: `no ${id}`, value: { id } },
    ...{ kind: 'entity' as const, version: second === undefined ? '' : timeAt(second) },
    ...(second !== undefined && { listedAt: timeAt(second) }),
    ...fields,
  };
}

const ITEMS: readonly QuarantinedItem[] = [
  itemOf('a', 20),
  itemOf('b', 10, { reason: 'x'.repeat(300) }),
  itemOf('c', undefined, { feed: CHECKLISTS }),
  itemOf('d', 30, { kind: 'event' }),
  itemOf('e', 5, { feed: 'projects/gone/floorplans' }),
];

const answerTo = (site: Site, request: object, catalog = site.options.catalog) =>
  control(request, {
    ...{ store: site.store, quarantine: site.quarantine, catalog },
    ...{ shardCount: 1, webhooks: NO_WEBHOOKS, now: () => site.clock.now() },
  });

async function siteWithItems(): Promise<Site> {
  const site = await liveSite();
  await site.quarantine.put(ITEMS);
  return site;
}

async function listOf(site: Site, scope?: object) {
  const answer = await answerTo(site, { command: 'quarantine-list', ...(scope && { scope }) });
  if (!('items' in answer)) throw new Error(JSON.stringify(answer));
  return answer.items;
}

const change = async (site: Site, request: object, catalog = site.options.catalog) =>
  (await answerTo(site, request, catalog)) as QuarantineChangeAnswer;

describe('the items of the quarantine', () => {
  it('are tried again: lists are rewound, without a time to their start, and replayed for events', async () => {
    const site = await siteWithItems();
    const feed = await site.feed(FEED);
    if (feed) await site.store.commitFeed({ ...feed, cursor: timeAt(40) });
    const trial = { command: 'quarantine-retry', all: true, dryRun: true };
    expect(await change(site, trial)).toMatchObject({ items: { length: 4 } });
    expect([await isAtWork(site), (await listOf(site)).length]).toEqual([false, 5]);
    const { items, skipped } = await change(site, { ...trial, dryRun: false });
    expect(items).toHaveLength(4);
    expect(skipped.map(({ reason }) => reason)).toEqual(['there is no such list any more']);
    expect(await site.feed(FEED)).toMatchObject({ cursor: timeAt(9.999) });
    expect(await site.feed(CHECKLISTS)).not.toHaveProperty('cursor');
    expect(await jobsOf(site)).toMatchObject({
      [FEED]: { name: 'replay', since: timeAt(29.999) },
    });
    expect(await listOf(site)).toEqual(skipped.map(({ item }) => item));
  });

  it.each([
    ['its list is not polled: paused', makeCatalog(), { paused: true }],
    ['its list is not polled: not-polled', makeCatalog({ projects: ['q'] }), {}],
  ] as const)('stay in the quarantine, since %s', async (reason, catalog, fields) => {
    const site = await liveSite();
    await site.quarantine.put([itemOf('a')]);
    const feed = await site.feed(FEED);
    if (feed) await site.store.commitFeed({ ...feed, ...fields });
    const { items, skipped } = await change(
      site,
      { command: 'quarantine-retry', all: true },
      catalog,
    );
    expect([items, skipped.map((each) => each.reason)]).toEqual([[], [reason]]);
    expect(await listOf(site)).toHaveLength(1);
  });
});
