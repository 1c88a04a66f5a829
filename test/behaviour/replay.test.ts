import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { Scope } from '../../functions/core/model/command.ts';
import type { EntityState } from '../../functions/core/model/entity-state.ts';
import { PublishFailedError } from '../../functions/core/model/errors.ts';
import { FEED_PARTITIONS, newFeed } from '../../functions/core/model/feed.ts';
import {
  makeCatalog,
  type CatalogOptions,
  type Resource,
} from '../../functions/core/model/resource-catalog.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { change, place } from '../support/place-commands.ts';
import { deletedAt, entityAt, FEED, liveSite, type Site } from '../support/site.ts';

const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);

const TASKS: Resource = { name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' };

/** Orders a replay of a time, in seconds. */
function replay(site: Site, since: number, until = 100, scope: Scope = {}): Promise<void> {
  return place(site, { name: 'replay', scope, since: timeAt(since), until: timeAt(until) });
}

function rewindAll(site: Site): Promise<void> {
  return change(site, { command: 'rewind', scope: {}, to: timeAt(0) });
}

/** A site on which everything was told: projects and floorplans, a checklist with items, a delete. */
async function toldSite(): Promise<Site> {
  const site = await liveSite();
  site.project('q', 10);
  site.floorplan('q', 'g', 11, { name: 'G' });
  site.checklist('q', 'c', 12, [
    { id: 'i', updated_at: timeAt(12) },
    { id: 'j', updated_at: timeAt(12) },
  ]);
  await site.catchUp();
  site.floorplan('p', 'f', 20, { name: 'F2' });
  site.floorplan('q', 'g', 21, { name: 'G', ...deletedAt(21) });
  site.checklist('q', 'c', 22, [{ id: 'i', updated_at: timeAt(12) }]);
  return site;
}

/** What replays logged of the partitions in which they are carried out. */
const countedOf = ({ telemetry }: Site) =>
  telemetry.logs.flatMap(({ fields }) => (fields['untold'] === undefined ? [] : [fields]));

describe('a replay', () => {
  it('tells the last event of each entity again: the same but for its cause, old values and time', async () => {
    const site = await toldSite();
    await site.poll();
    const first = new Map(site.topic.published.map((event) => [event.id, event]));
    site.takeEvents();
    const publishedBefore = site.telemetry.counted('EventsPublished');
    await replay(site, 0);
    await site.poll();
    expect(site.telemetry.counted('EventsPublished')).toBe(publishedBefore + 6);
    expect(site.telemetry.carriedOut()).toMatchObject({ events: 6, lists: 5 });
    const again = site.takeEvents();
    expect(again.map(({ type, partitionkey }) => `${type} ${partitionkey}`).sort()).toEqual([
      'floorplan.deleted g',
      'floorplan.updated f',
      'project.created q',
      'template_check_item.created i',
      'template_check_item.deleted j',
      'template_checklist.updated c',
    ]);
    for (const { cause, recordedtime: _, data, ...event } of again) {
      const { cause: __, recordedtime: ___, data: told, ...same } = first.get(event.id) ?? {};
      expect(cause).toBe('replay');
      expect(event).toEqual(same);
      expect({ previous: told?.previous, ...data }).toEqual(told);
    }
    expect(await site.store.loadCommands(ALL_PARTITIONS)).toEqual([]);
    expect(await site.events()).toEqual([]);
  });

  it('leaves what is stored of a large event, which may still wait in a queue, as it was told', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 20, { name: 'F2', note: 'a'.repeat(300_000) });
    await site.poll();
    const [first] = site.topic.published;
    expect(first?.data.previous).toMatchObject({ name: 'f' });
    await replay(site, 20);
    await site.poll();
    const { published, messages } = site.topic;
    expect(published.map(({ cause }) => cause)).toEqual(['poll', 'replay']);
    expect(published[0]).toEqual(first);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(1);
  });

  it.each<[string, number, number, Scope, string[]]>([
    ['a time', 20, 21, {}, ['deleted g', 'updated f']],
    ['its first moment', 22, 100, {}, ['deleted j', 'updated c']],
    ['a list', 0, 100, { list: FEED }, ['updated f']],
    ['a project', 0, 20, { projectId: 'q' }, ['created i']],
    ['a resource', 0, 100, { resource: 'projects' }, ['created q']],
  ])('has a scope: %s', async (_, since, until, scope, told) => {
    const site = await toldSite();
    await site.catchUp();
    await replay(site, since, until, scope);
    const events = (await site.events()).map((text) => text.replace(/^.*\./, ''));
    expect(events.sort()).toEqual(told);
  });

  it.each<[string, CatalogOptions, Scope, string[]]>([
    ['a list of a resource', { resources: [] }, { list: FEED }, ['updated f']],
    ['a resource', { resources: [] }, { resource: 'floorplans' }, ['deleted g', 'updated f']],
    ['the lists of a project', { projects: ['p'] }, { projectId: 'q' }, ['deleted g']],
  ])('tells also what config leaves out since: %s', async (_, options, scope, told) => {
    const site = await toldSite();
    await site.catchUp();
    await replay(site, 20, 21, scope);
    const events = await site.events({ catalog: makeCatalog(options) });
    expect(events.map((text) => text.replace(/^.*\./, '')).sort()).toEqual(told);
    expect(await site.store.loadCommands(ALL_PARTITIONS)).toEqual([]);
  });

  it('passes over an additional list that config has no more, and goes on', async () => {
    const [site, { id: list }] = [await toldSite(), newFeed(TASKS, 'live', { id: 'p' })];
    site.api.put(`/${list}`, entityAt('t', 5));
    const withTasks = { catalog: makeCatalog({ additionalResources: [TASKS] }) };
    for (let n = 0; n < 2; n += 1) await site.poll(withTasks);
    site.api.put(`/${list}`, entityAt('t', 20, { name: 'T2' }));
    expect(await site.events(withTasks)).toContain('task.updated t');
    await replay(site, 20, 21, { projectId: 'p' });
    expect(await site.events()).toEqual(['floorplan.updated f']);
    await replay(site, 20, 21, { projectId: 'p' });
    expect(await site.events(withTasks)).toEqual(['floorplan.updated f', 'task.updated t']);
  });

  it('tells nothing that nobody was told, and what it left out is logged', async () => {
    const site = await liveSite();
    await replay(site, 0);
    expect(await site.events()).toEqual([]);
    const counted = site.telemetry.logs.filter(({ fields }) => fields['untold'] !== undefined);
    expect(counted.reduce((sum, { fields }) => sum + Number(fields['untold']), 0)).toBe(3);
  });

  it('counts the entities whose last event is unpublished', async () => {
    const site = await toldSite();
    await site.catchUp();
    await replay(site, 20, 20, { list: FEED });
    const load = site.store.loadStatesAfter.bind(site.store);
    site.store.loadStatesAfter = async (...given) => {
      const { states, ...rest } = await load(...given);
      return { ...rest, states: states.map((state) => ({ ...state, unpublished: {} })) };
    };
    await site.poll();
    expect(countedOf(site)).toMatchObject([{ events: 0, pending: 1 }]);
  });

  it('leaves out an entity whose event cannot be made, names it, and goes on', async () => {
    const site = await toldSite();
    await site.catchUp();
    await replay(site, 0);
    const load = site.store.loadStatesAfter.bind(site.store);
    site.store.loadStatesAfter = async (...given) => {
      const { states, ...rest } = await load(...given);
      const broken = states.map((state) =>
        state.key === 'project#q' ? { ...state, event: '[' } : state,
      );
      return { ...rest, states: broken };
    };
    expect(await site.events()).toHaveLength(5);
    expect(await site.store.loadCommands(ALL_PARTITIONS)).toEqual([]);
    expect(site.telemetry.logs).toContainEqual(
      expect.objectContaining({ fields: { feed: 'projects', entity: 'project#q' } }),
    );
    expect(countedOf(site).reduce((sum, { failed }) => sum + Number(failed), 0)).toBe(1);
  });

  it('tells a checklist again of which only items have changed since it was told', async () => {
    const site = await toldSite();
    await site.catchUp();
    site.checklist('q', 'c', 22, [{ id: 'i', updated_at: timeAt(23) }]);
    await rewindAll(site);
    expect(await site.events()).toEqual(['template_check_item.updated i']);
    await replay(site, 0, 100, { resource: 'template_checklists' });
    expect((await site.events()).sort()).toEqual([
      'template_check_item.deleted j',
      'template_check_item.updated i',
      'template_checklist.updated c',
    ]);
  });

  it('comes after the changes that the same run finds, so that no sequence steps back', async () => {
    const site = await toldSite();
    await replay(site, 0, 100, { list: FEED });
    const events = await site.events();
    expect(events.filter((text) => text.endsWith(' f'))).toEqual([
      'floorplan.updated f',
      'floorplan.updated f',
    ]);
  });

  it('goes on where it was, over as many runs as it needs', async () => {
    const site = await liveSite();
    site.floorplans('p', 10, 40);
    await site.catchUp();
    await replay(site, 10, 39, { list: FEED });
    // Time passes with each call of the topic: one part of the states a run.
    const publish = site.topic.publish.bind(site.topic);
    site.topic.publish = async (...given) => {
      site.clock.advance(60_000);
      return publish(...given);
    };
    const told: string[] = [];
    let runCount = 0;
    for (; (await site.store.loadCommands(ALL_PARTITIONS)).length > 0; runCount += 1) {
      const events = await site.events();
      expect(events.length).toBeLessThan(10);
      told.push(...events);
    }
    expect(runCount).toBeGreaterThan(5);
    expect(new Set(told).size).toBe(30);
    expect(told).toHaveLength(30);
  });

  it('that the topic refuses goes on with the next run, and disturbs no polling', async () => {
    const site = await toldSite();
    await site.catchUp();
    await replay(site, 0, 100, { list: FEED });
    const publish = site.topic.publish.bind(site.topic);
    site.topic.publish = () =>
      Promise.reject(new PublishFailedError('refused', { acceptedCount: 0, hint: 'Wait.' }));
    await expect(site.events()).resolves.toEqual([]);
    expect(site.telemetry.logs).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringContaining('interrupted') as string,
      }),
    );
    site.topic.publish = publish;
    expect(await site.events()).toEqual(['floorplan.updated f']);
  });

  it('counts what the topic refuses neither as told nor as published', async () => {
    const site = await toldSite();
    await site.catchUp();
    await replay(site, 0, 100, { resource: 'floorplans' });
    site.takeEvents();
    const publishedBefore = site.telemetry.counted('EventsPublished');
    site.topic.refuse(({ partitionkey }) => (partitionkey === 'f' ? 'no' : undefined));
    expect(await site.events()).toEqual(['floorplan.deleted g']);
    expect(site.telemetry.counted('EventsPublished') - publishedBefore).toBe(1);
    expect(countedOf(site).reduce((sum, { events }) => sum + Number(events ?? 0), 0)).toBe(1);
  });

  it('that gets further each time before it fails does not wait longer each time', async () => {
    const site = await liveSite();
    for (let n = 0; n < 300; n += 1) site.floorplan('p', `f${n}`, 10);
    const options = { paging: { perPage: 1000, lookbackMs: 0 } };
    await site.catchUp();
    await replay(site, 0);
    site.takeEvents();
    let calls = 0;
    const topic = replaceCall(site.topic, 'publish', ({ proceed }) => {
      calls += 1;
      site.clock.advance(150);
      if (calls % 10 > 0) return proceed();
      throw new PublishFailedError('throttled', { acceptedCount: 0, hint: 'Wait.' });
    });
    let told = 0;
    let runs = 0;
    for (; runs < 20 && told < 300; runs += 1) {
      await site.poll(options, { topic });
      told += site.takeEvents().length;
      site.clock.advance(60_000);
    }
    expect(told).toBeGreaterThanOrEqual(300);
    expect(runs).toBeLessThan(12);
  });

  it('ends when it is cancelled', async () => {
    const site = await toldSite();
    await site.catchUp();
    await replay(site, 0);
    const commands = await site.store.loadCommands(ALL_PARTITIONS);
    const publish = site.topic.publish.bind(site.topic);
    site.topic.publish = async (...given) => {
      await site.store.deleteCommands(commands);
      site.clock.advance(60_000);
      return publish(...given);
    };
    expect((await site.events()).length).toBeGreaterThan(0);
    expect(await site.events()).toEqual([]);
    expect(await site.store.loadCommands(ALL_PARTITIONS)).toEqual([]);
  });
});

it.each([60_000, 5_000])(
  'a replay tells seldom again what the topic accepts while the quarantine refuses the rest (runs each %i ms)',
  async (everyMs) => {
    const site = await liveSite();
    for (const id of ['a', 'b', 'bad']) site.floorplan('p', id, 20);
    await site.catchUp();
    site.takeEvents();
    site.topic.refuse(({ partitionkey }) => (partitionkey === 'bad' ? 'no' : undefined));
    const quarantine = replaceCall(site.quarantine, 'put', () =>
      Promise.reject(new Error('The quarantine is down.')),
    );
    await replay(site, 20, 21, { list: FEED });
    for (let ms = 0; ms < 1_800_000; ms += everyMs) {
      await site.poll({}, { quarantine });
      site.clock.advance(everyMs);
    }
    const times = site.takeEvents().filter(({ partitionkey }) => partitionkey === 'a').length;
    // At once, then after 1, 2, 4, 8 and each 10 minutes.
    expect(times).toBe(7);
    await site.poll();
    site.clock.advance(600_000);
    await site.poll();
    expect(site.quarantine.items).toHaveLength(1);
  },
);

/** The topic accepts the first event of each call; the others get no answer until the call is cut off, in the end of the run. */
const hangingTopic = (site: Site, accepted: string[]) =>
  replaceCall(site.topic, 'publish', async ({ parameters }) => {
    const [[first]] = parameters as [readonly ChangeEvent[]];
    if (first) accepted.push(first.partitionkey);
    site.clock.advance(49_000);
    await new Promise(setImmediate);
    throw new PublishFailedError('No answer', { acceptedCount: 1, hint: 'Wait.' });
  });

async function pollEachMinute(site: Site, minutes: number, ports: Partial<Ports>): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    const begunAt = site.clock.now();
    await site.poll({}, ports);
    site.clock.advance(60_000 - (site.clock.now() - begunAt));
  }
}

it('a replay whose events are cut off by the end of the run tells seldom again what the topic accepts', async () => {
  const site = await liveSite();
  for (const id of ['a', 'b']) site.floorplan('p', id, 20);
  await site.catchUp();
  await replay(site, 20, 21, { list: FEED });
  const accepted: string[] = [];
  const topic = hangingTopic(site, accepted);
  await pollEachMinute(site, 60, { topic });
  // At once, then after 1, 2, 4, 8 and each 10 minutes, from the end of the try before.
  expect(accepted).toHaveLength(9);
});

it('a replay whose events are cut off holds up no command behind it', async () => {
  const site = await toldSite();
  await site.catchUp();
  await replay(site, 0, 100, { list: FEED });
  await place(site, { name: 'reconcile', scope: { list: FEED } });
  const topic = hangingTopic(site, []);
  await pollEachMinute(site, 4, { topic });
  const left = await site.store.loadCommands(ALL_PARTITIONS);
  expect(new Set(left.map(({ command }) => command.name))).toEqual(new Set(['replay']));
});

it('a replay of more events than the topic takes in a run goes on where that has ended', async () => {
  const site = await liveSite({ largestPage: 1000 });
  site.floorplans('p', 20, 720);
  await site.poll({ paging: { perPage: 1000, lookbackMs: 0 } });
  site.takeEvents();
  await replay(site, 20, 2000, { list: FEED });
  // A page of the table has thousands of small states.
  const store = replaceCall(site.store, 'loadStatesAfter', async ({ parameters }) => {
    const [list, from] = parameters as [string, string | undefined];
    let after = from;
    const states: EntityState[] = [];
    do {
      const page = await site.store.loadStatesAfter(list, after);
      states.push(...page.states);
      after = page.next;
    } while (after !== undefined);
    return { states };
  });
  // Of what a run publishes the topic takes so many.
  let room = 0;
  const topic = replaceCall(site.topic, 'publish', ({ parameters, proceed }) => {
    const [{ length }] = parameters as [readonly ChangeEvent[]];
    room -= length;
    if (room >= 0) return proceed();
    throw new PublishFailedError('Throttled', { acceptedCount: 0, hint: 'Wait.' });
  });
  for (let n = 0; n < 6; n += 1) {
    room = 300;
    await site.poll({}, { topic, store });
    site.clock.advance(600_000);
  }
  expect(await site.store.loadCommands(ALL_PARTITIONS)).toEqual([]);
  const told = site.takeEvents().map(({ partitionkey }) => partitionkey);
  expect([told.length, new Set(told).size]).toEqual([700, 700]);
});
