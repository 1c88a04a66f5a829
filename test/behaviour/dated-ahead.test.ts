import { expect, it } from 'vitest';
import type { EntityState } from '../../functions/core/model/entity-state.ts';
import type { Page } from '../../functions/core/ports/service-api.ts';
import type { StateStore } from '../../functions/core/ports/state-store.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { entityAt, liveSite, Site } from '../support/site.ts';

const DAY = 86_400;

/** A site whose service sends its time, and that is polled at some seconds. */
function timedSite() {
  const clock = new ManualClock();
  const site = new Site({ lookbackMs: 60_000, clock: () => clock.now() });
  const pollAt = async (second: number, ports = {}, lookbackMs = 60_000): Promise<void> => {
    clock.advance(Date.parse(timeAt(second)) - clock.now());
    await site.poll({ paging: { perPage: 50, lookbackMs } }, { clock, ...ports });
  };
  /** How often the delete of an item was told by the polls until then. */
  const deletesOf = (id: string): number =>
    site
      .takeEvents()
      .filter(({ type, partitionkey: key }) => type.endsWith('item.deleted') && key === id).length;
  return { site, pollAt, deletesOf };
}

/** Refuses to save states of an entity. */
const refusing = (store: StateStore, entity: string): StateStore =>
  replaceCall(store, 'saveStates', ({ parameters, proceed }) =>
    (parameters[1] as EntityState[]).some(({ key }) => key.startsWith(`${entity}#`))
      ? Promise.reject(new Error('throttled'))
      : proceed(),
  );

it.each([
  ['an item that is dated 30 s ahead', 30, 0],
  ['an item that is dated 100 s ahead', 100, 0],
  ['an item that is dated 900 s ahead', 900, 0],
  ['an item of a checklist that is dated a day ahead', 0, DAY],
  ['an item of a checklist that is dated a year ahead', 900, 365 * DAY],
])(
  'the delete of %s is told, though the table failed between the writes of its outbox',
  async (_, itemAhead, checklistAhead) => {
    const { site, pollAt, deletesOf } = timedSite();
    site.project('p', 0);
    site.checklist('p', 'c', 3000, [entityAt('i', 3000)]);
    await pollAt(4000);
    site.checklist('p', 'c', 5000, [entityAt('i', 3000), entityAt('j', 5000 + itemAhead)]);
    for (const second of [5003, 5063, 5123]) await pollAt(second);
    site.checklist('p', 'c', 5200 + checklistAhead, [entityAt('i', 3000)]);
    const store = refusing(site.store, 'template_check_item');
    await expect(pollAt(5210, { store })).rejects.toThrow('throttled');
    site.takeEvents();
    for (let second = 5270; second < 5600; second += 60) {
      // News behind it, so that the cursor moves.
      site.checklist('p', `busy${second}`, second - 1, []);
      await pollAt(second);
    }
    expect(deletesOf('j')).toBe(1);
  },
);

it('the delete of an item that is dated ahead by less than the lookback is told by the later version of its checklist', async () => {
  const { site, pollAt, deletesOf } = timedSite();
  const hour = 3_600_000;
  site.project('p', 0);
  site.checklist('p', 'c', 3000, [entityAt('i', 3000)]);
  for (let second = 20_000; second < 25_000; second += 600) await pollAt(second, {}, hour);
  site.checklist('p', 'c', 30_000, [entityAt('i', 3000), entityAt('j', 31_800)]);
  for (const second of [30_003, 30_063]) await pollAt(second, {}, hour);
  site.checklist('p', 'c', 30_070, [entityAt('i', 3000)]);
  await pollAt(30_123, {}, hour);
  expect(deletesOf('j')).toBe(1);
  // Nor again, once the lookback is shorter.
  for (let second = 30_243; second < 30_600; second += 60) await pollAt(second);
  expect(deletesOf('j')).toBe(0);
});

it.each([30, 300])(
  'no copy that lags deletes an item that is dated %i s ahead, though the answer that showed it first had no Date',
  async (aheadSeconds) => {
    const { site, pollAt } = timedSite();
    let sendsDate = true;
    const api = replaceCall(site.api, 'fetchPage', async ({ proceed }) => {
      const { readAfter, ...page } = (await proceed()) as Page;
      return sendsDate ? { ...page, readAfter } : page;
    });
    site.project('p', 0);
    site.checklist('p', 'c', 1000, []);
    await pollAt(1000, { api });
    const shown = entityAt('i', 5000 + aheadSeconds);
    site.checklist('p', 'c', 4930, [shown]);
    sendsDate = false;
    await pollAt(5002, { api });
    expect(site.takeEvents().map(({ type }) => type)).toContain('template_check_item.created');
    // A copy that lags: the item came without a new version of its checklist.
    site.checklist('p', 'c', 4930, []);
    sendsDate = true;
    await pollAt(5004, { api });
    site.checklist('p', 'c', 4930, [shown]);
    await pollAt(5064, { api });
    expect(site.takeEvents()).toEqual([]);
  },
);

it('without a Date, the delete of an item that is dated ahead is told by a later version of its checklist, though a run died before it saved that', async () => {
  const site = await liveSite();
  site.checklist('p', 'c', 100, [entityAt('i', 140)]);
  const store = refusing(site.store, 'template_checklist');
  await expect(site.poll({}, { store })).rejects.toThrow('throttled');
  expect(site.takeEvents().map(({ type }) => type)).toContain('template_check_item.created');
  site.checklist('p', 'c', 115, []);
  await site.poll();
  const told = site.takeEvents().map(({ type }) => type);
  expect(told.filter((each) => each.startsWith('template_check_item'))).toEqual([
    'template_check_item.deleted',
  ]);
});

it('no copy that lags deletes an item of a checklist that is dated ahead, or restores it', async () => {
  const { site, pollAt } = timedSite();
  site.project('p', 0);
  await pollAt(1000);
  const ahead = 5000 + DAY;
  const show = (...ids: string[]): void => {
    site.checklist(
      'p',
      'c',
      ahead,
      ids.map((id) => entityAt(id, 5000)),
    );
  };
  const told = async (second: number): Promise<string[]> => {
    await pollAt(second);
    return site.takeEvents().map(({ type, partitionkey }) => `${type} ${partitionkey}`);
  };
  show('i');
  expect(await told(5002)).toContain('template_check_item.created i');
  // A copy that lags. Items do not move their checklist here.
  show();
  expect(await told(5030)).toEqual([]);
  show('i');
  expect(await told(5060)).toEqual([]);
  show();
  expect(await told(5180)).toEqual(['template_check_item.deleted i']);
});

it.each([
  // lookback, age of the copy that showed it, how far it is dated ahead, polls, in seconds
  [5, 0, 14.5, [17]],
  [5, 4, 9, [13, 18]],
  [60, 55, 69, [127]],
  [60, 55, 69, [60, 127]],
] as const)(
  'the delete of an item is told with a lookback of %i s, a copy that is %i s old, and the item %d s ahead',
  async (lookback, lag, ahead, polls) => {
    const { site, pollAt, deletesOf } = timedSite();
    const at = 5000;
    const lookbackMs = lookback * 1000;
    site.project('p', 0);
    site.checklist('p', 'c', 3000, [entityAt('i', 3000)]);
    for (const second of [3900, 4500]) await pollAt(second, {}, lookbackMs);
    site.checklist('p', 'c', at - lag - 3, [entityAt('i', 3000), entityAt('j', at + ahead)]);
    await pollAt(at, {}, lookbackMs);
    site.checklist('p', 'c', at - lag + 1, [entityAt('i', 3000)]);
    for (let after = 60; after < 400; after += 60) {
      const seconds = after === 60 ? polls : [(polls.at(-1) ?? 0) + after];
      for (const second of seconds) {
        // News behind it, so that the cursor moves.
        site.checklist('p', `busy${second}`, at + second - 1, []);
        await pollAt(at + second, {}, lookbackMs);
      }
    }
    expect(deletesOf('j')).toBe(1);
  },
);
