import { describe, expect, it } from 'vitest';
import { planRetry } from '../../functions/control/quarantine/plan-retry.ts';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import { PublishFailedError } from '../../functions/core/model/errors.ts';
import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import { makeCatalog, type Resource } from '../../functions/core/model/resource-catalog.ts';
import { intercept, replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { place } from '../support/place-commands.ts';
import {
  deletedAt,
  entityAt,
  FEED,
  floorplansOf,
  liveSite,
  serviceFailure,
  type Site,
} from '../support/site.ts';

/** Has all items of the quarantine tried again, as the control function does. @returns why some are not. */
async function retryAll(
  site: Site,
  { catalog } = { catalog: site.options.catalog },
): Promise<string[]> {
  const { store, quarantine: queue } = site;
  const feeds = await store.loadFeeds(Array.from({ length: FEED_PARTITIONS }, (_, n) => n));
  const { items } = await queue.receive();
  const now = () => site.clock.now();
  const nextId = () => Promise.resolve('000001');
  const plan = await planRetry(items, { store, queue, catalog, feeds, nextId, now });
  await store.saveCommands(plan.commands);
  await queue.delete(plan.accepted.flatMap(({ receipts }) => receipts));
  return plan.skipped.map(({ reason }) => reason);
}

const eventsIn = (site: Site) =>
  site.takeEvents().map(({ id, type, cause }) => ({ id, type, cause }));

/** A site whose topic has refused the events of a project, a floorplan, and an item of a checklist. */
async function siteWithRefusals(): Promise<Site> {
  const site = await liveSite();
  site.topic.refuse(({ partitionkey }) =>
    ['p', 'f', 'i'].includes(partitionkey) ? 'no' : undefined,
  );
  site.project('p', 10, { name: 'Tower' });
  site.floorplan('p', 'f', 11, { name: 'F' });
  site.checklist('p', 'c', 12, [entityAt('i', 12), entityAt('j', 12)]);
  await site.catchUp();
  expect(site.quarantine.items).toHaveLength(3);
  return site;
}

const TASKS: Resource = { name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' };

/** A site with a refused event of an additional list, which is ordered to be told again. */
async function siteWithRetriedTask(): Promise<Site> {
  const withTasks = { catalog: makeCatalog({ additionalResources: [TASKS] }) };
  const site = await liveSite();
  site.api.put('/projects/p/tasks');
  await site.poll(withTasks);
  site.topic.refuse(() => 'no');
  site.api.put('/projects/p/tasks', entityAt('t', 100));
  await site.poll(withTasks);
  site.topic.refuse(() => undefined);
  expect(await retryAll(site, withTasks)).toEqual([]);
  return site;
}

const commandsOf = (site: Site) =>
  site.store.loadCommands(Array.from({ length: FEED_PARTITIONS }, (_, n) => n));

const idsIn = (site: Site) =>
  site.quarantine.items.map(({ value }) => (value as { readonly id: string }).id).sort();

describe('an event that the topic refused, and that is tried again', () => {
  it('is told with its id once the topic accepts it', async () => {
    const site = await siteWithRefusals();
    site.topic.refuse(() => undefined);
    expect(await retryAll(site)).toEqual([]);
    const publishedBefore = site.telemetry.counted('EventsPublished');
    await site.poll();
    expect(site.telemetry.counted('EventsPublished')).toBe(publishedBefore + 3);
    expect(site.telemetry.carriedOut()).toEqual({ events: 3, outdated: 0, failed: 0 });
    const told = eventsIn(site);
    expect(told.map(({ id }) => id).sort()).toEqual(idsIn(site));
    expect(told.map(({ type, cause }) => [type, cause]).sort()).toEqual([
      ['floorplan.updated', 'replay'],
      ['project.updated', 'replay'],
      ['template_check_item.created', 'replay'],
    ]);
    expect(await site.events()).toEqual([]);
  });

  it.each([
    ['alone', ['p', 'f', 'i']],
    ['with others that it accepts', ['f']],
  ])(
    'is quarantined again after three runs if the topic goes on failing %s: no other one is told for ever',
    async (_, failing) => {
      const site = await siteWithRefusals();
      site.topic.refuse(() => undefined);
      expect(await retryAll(site)).toEqual([]);
      const topic = replaceCall(site.topic, 'publish', ({ parameters, proceed }) => {
        const [events] = parameters as [readonly ChangeEvent[]];
        if (!events.some(({ partitionkey }) => failing.includes(partitionkey))) return proceed();
        throw new PublishFailedError('The topic fails for a reason that it alone knows', {
          hint: 'Look there.',
        });
      });
      for (let n = 0; n < 20; n += 1) {
        await site.poll({}, { topic }).catch(() => undefined);
        expect(site.quarantine.items).toHaveLength(n < 2 ? 3 : 3 + failing.length);
        site.clock.advance(60_000);
      }
      expect(await commandsOf(site)).toEqual([]);
      expect(eventsIn(site).length).toBeLessThanOrEqual(6);
      expect(site.quarantine.items).toHaveLength(3 + failing.length);
    },
  );

  it('is quarantined again if a later event of its entity may be published, and not saved', async () => {
    const site = await siteWithRefusals();
    site.topic.refuse(() => undefined);
    expect(await retryAll(site)).toEqual([]);
    site.floorplan('p', 'f', 20, { name: 'later' });
    let left = 1;
    const store = replaceCall(site.store, 'saveStates', ({ parameters, proceed }) => {
      if (parameters[0] === FEED && left-- > 0) return Promise.reject(new Error('throttled'));
      return proceed();
    });
    await expect(site.poll({}, { store })).rejects.toThrow('throttled');
    site.clock.advance(60_000);
    await site.poll();
    const told = site.takeEvents().filter(({ partitionkey }) => partitionkey === 'f');
    const sequences = told.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted());
    expect(site.quarantine.items).toHaveLength(4);
  });

  it.each([['once more in the next run, as its list fails', true]])(
    'is quarantined again, not told after a later event that was published and not saved: %s',
    async (_, isLater) => {
      const site = await siteWithRefusals();
      site.topic.refuse(() => undefined);
      if (!isLater) await retryAll(site);
      site.floorplan('p', 'f', 20, { name: 'later' });
      let isThrottled = false;
      const store = intercept(site.store, ({ name, parameters, proceed }) => {
        isThrottled ||= name === 'saveStates' && parameters[0] === FEED;
        const isWrite = /^(save|add|delete|remove|commit)/.test(name);
        return isThrottled && isWrite ? Promise.reject(new Error('throttled')) : proceed();
      });
      await expect(site.poll({}, { store })).rejects.toThrow('throttled');
      site.clock.advance(60_000);
      if (isLater) {
        await retryAll(site);
        site.api.answerNext(floorplansOf('p'), () => Promise.reject(serviceFailure));
        await site.poll();
      }
      const told = site.takeEvents().filter(({ partitionkey }) => partitionkey === 'f');
      const sequences = told.map(({ sequence }) => sequence);
      expect(sequences).toEqual(sequences.toSorted());
    },
  );

  it('is told also if config leaves its list out by then', async () => {
    const site = await siteWithRefusals();
    site.topic.refuse(() => undefined);
    expect(await retryAll(site)).toEqual([]);
    await site.poll({ catalog: makeCatalog({ projects: ['q'] }) });
    expect(eventsIn(site).map(({ id }) => id)).toEqual(expect.arrayContaining(idsIn(site)));
  });

  it('is told also if config has its additional list no more by then', async () => {
    const site = await siteWithRetriedTask();
    await site.poll();
    const [refused] = site.quarantine.items.map(({ value }) => value as ChangeEvent);
    const { subject, id } = refused ?? {};
    expect(subject).toBe('/projects/p/tasks/t');
    expect(site.takeEvents()).toMatchObject([{ id, subject, type: 'task.created' }]);
  });

  it('is counted and named if config has another word for its entity by then', async () => {
    const site = await siteWithRetriedTask();
    const jobs = { ...TASKS, entity: 'job' };
    await site.poll({ catalog: makeCatalog({ additionalResources: [jobs] }) });
    expect(site.telemetry.carriedOut()).toEqual({ events: 0, outdated: 0, failed: 1 });
    const fields = { feed: 'projects/p/tasks', entity: 'task#t' };
    expect(site.telemetry.logs).toContainEqual(expect.objectContaining({ level: 'error', fields }));
  });

  it('is told before a replay that waits for the topic', async () => {
    const site = await siteWithRefusals();
    site.topic.refuse(() => undefined);
    site.floorplan('p', 'e', 13);
    await site.catchUp();
    await place(site, { name: 'replay', scope: {}, since: timeAt(0), until: timeAt(100) });
    await retryAll(site);
    const told: string[] = [];
    const topic = replaceCall(site.topic, 'publish', ({ parameters }) => {
      const [events] = parameters as [readonly ChangeEvent[]];
      told.push(...events.map(({ id }) => id));
      return Promise.resolve([]);
    });
    await site.poll({}, { topic });
    expect(told.slice(0, 3).sort()).toEqual(idsIn(site));
  });

  it('comes back to the quarantine if the topic still refuses it', async () => {
    const site = await siteWithRefusals();
    await retryAll(site);
    const publishedBefore = site.telemetry.counted('EventsPublished');
    await site.poll();
    expect(eventsIn(site)).toEqual([]);
    expect(site.telemetry.counted('EventsPublished')).toBe(publishedBefore);
    const [first, ...others] = (await site.quarantine.receive()).items;
    expect([first?.kind, others]).toMatchObject(['event', { length: 2 }]);
  });

  it.each([
    ['was told by a later event', 'a later event has told its entity since: drop it', 30],
    ['will have been told by a later event', undefined, 31],
  ])('is not told if its entity %s', async (_, reason, second) => {
    const site = await siteWithRefusals();
    site.topic.refuse(() => undefined);
    site.floorplan('p', 'f', second, deletedAt(second));
    if (reason !== undefined) expect(await site.events()).toEqual(['floorplan.deleted f']);
    expect(await retryAll(site)).toEqual(reason === undefined ? [] : [reason]);
    const events = [...(await site.events()), ...(await site.events())];
    const ofFloorplan = events.filter((event) => event.endsWith(' f'));
    expect(ofFloorplan).toEqual(reason === undefined ? ['floorplan.deleted f'] : []);
    const outdated = reason === undefined ? 1 : 0;
    expect(site.telemetry.carriedOut()).toEqual({ events: 2, outdated, failed: 0 });
    expect(events).toContain('project.updated p');
    const left = (await site.quarantine.receive()).items.map(({ feed }) => feed);
    expect(left).toEqual(reason === undefined ? [] : [FEED]);
  });

  it('is counted and named if its state has expired by then', async () => {
    const site = await siteWithRefusals();
    site.topic.refuse(() => undefined);
    await site.catchUp();
    expect(await retryAll(site)).toEqual([]);
    await site.store.deleteStates(FEED, ['floorplan#f']);
    await site.poll();
    expect(site.telemetry.carriedOut()).toEqual({ events: 2, outdated: 0, failed: 1 });
    const fields = { feed: FEED, entity: 'floorplan#f' };
    expect(site.telemetry.logs).toContainEqual(expect.objectContaining({ level: 'error', fields }));
  });

  it('is left if its state has expired', async () => {
    const site = await siteWithRefusals();
    await site.store.deleteStates(FEED, ['floorplan#f']);
    expect(await retryAll(site)).toEqual(['its state has expired']);
  });

  it('is left out and named if it cannot be made, and holds up no other one', async () => {
    const site = await siteWithRefusals();
    site.topic.refuse(() => undefined);
    await retryAll(site);
    const load = site.store.loadStates.bind(site.store);
    site.store.loadStates = async (...given) => {
      const states = await load(...given);
      const state = states.get('floorplan#f');
      return state ? new Map([...states, ['floorplan#f', { ...state, event: '[' }]]) : states;
    };
    expect((await site.events()).sort()).toEqual([
      'project.updated p',
      'template_check_item.created i',
    ]);
    expect(site.telemetry.carriedOut()).toEqual({ events: 2, outdated: 0, failed: 1 });
    const fields = { feed: FEED, entity: 'floorplan#f' };
    expect(site.telemetry.logs).toContainEqual(expect.objectContaining({ level: 'error', fields }));
    const left = await site.store.loadCommands(
      Array.from({ length: FEED_PARTITIONS }, (_, n) => n),
    );
    expect(left).toEqual([]);
  });
});
