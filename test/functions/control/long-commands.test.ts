import { describe, expect, it } from 'vitest';
import { control } from '../../../functions/control/control.ts';
import type {
  ControlAnswer,
  PlacedAnswer,
  StatusAnswer,
} from '../../../functions/control/protocol.ts';
import { FEED_PARTITIONS } from '../../../functions/core/model/feed.ts';
import {
  makeCatalog,
  type CatalogOptions,
  type Resource,
} from '../../../functions/core/model/resource-catalog.ts';
import { timeAt } from '../../support/list-service.ts';
import { deletedAt, FEED, liveSite, type Site } from '../../support/site.ts';
import { NO_WEBHOOKS } from './no-webhooks.ts';

const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);

function ask(
  site: Site,
  request: unknown,
  { catalog = site.options.catalog, random = 0.5 } = {},
): Promise<ControlAnswer> {
  const { store, clock } = site;
  const context = { catalog, shardCount: 1, now: () => clock.now(), random: () => random };
  return control(request, {
    ...context,
    webhooks: NO_WEBHOOKS,
    store,
    quarantine: site.quarantine,
  });
}

/** A request for the events since the first. */
async function replayOf(site: Site, scope: object = {}) {
  const { baselineAt } = (await site.feed('projects')) ?? {};
  return { command: 'replay', scope, since: baselineAt ?? timeAt(0) };
}

async function commandsOf(site: Site, options = {}) {
  return ((await ask(site, { command: 'status', limit: 0 }, options)) as StatusAnswer).commands;
}

describe('a replay', () => {
  it('is placed with both of its times, and with dryRun only told', async () => {
    const site = await liveSite({ clock: () => Date.parse(timeAt(2)) });
    const request = await replayOf(site, { list: FEED });
    const dryRun = await ask(site, { ...request, dryRun: true });
    expect(dryRun).not.toHaveProperty('id');
    expect(dryRun).toMatchObject({ counted: { eventCount: 0, listCount: 1 } });
    expect(await site.store.loadCommands(ALL_PARTITIONS)).toEqual([]);
    expect(await ask(site, request)).toMatchObject({ command: 'replay', listCount: 1 });
    const [placed] = await site.store.loadCommands(ALL_PARTITIONS);
    expect(placed?.command).toMatchObject({
      since: request.since,
      until: new Date(site.clock.now()).toISOString(),
    });
  });

  it('counts with dryRun the events that it would tell', async () => {
    const site = await liveSite({ clock: () => Date.parse(timeAt(2)) });
    site.floorplans('p', 3, 8);
    await site.poll();
    site.floorplans('p', 9, 10);
    site.checklist('p', 'c', 9, []);
    await site.poll();
    const request = { ...(await replayOf(site)), dryRun: true };
    const count = async (times: object) => (await ask(site, { ...request, ...times })) as object;
    const all = await count({});
    site.takeEvents();
    await ask(site, { ...request, dryRun: false });
    await site.poll();
    const told = site.takeEvents().filter(({ cause }) => cause === 'replay');
    expect(all).toMatchObject({ listCount: 3, counted: { eventCount: told.length, listCount: 3 } });
    expect(await count({ since: timeAt(9) })).toMatchObject({ counted: { eventCount: 2 } });
  });

  it.each<[string, CatalogOptions, object]>([
    ['its resource is left out', { resources: [] }, { list: FEED }],
    ['a resource is left out', { resources: [] }, { resource: 'floorplans' }],
    ['its project is left out', { projects: ['q'] }, { resource: 'floorplans' }],
    ['a project is left out', { projects: ['q'] }, { projectId: 'p' }],
  ])(
    'concerns lists that are not polled, too, and counts what it tells: %s',
    async (_, options, scope) => {
      const site = await liveSite({ clock: () => Date.parse(timeAt(2)) });
      site.floorplans('p', 3, 8);
      await site.catchUp();
      const selected = { catalog: makeCatalog(options) };
      const request = await replayOf(site, scope);
      const { counted } = (await ask(site, { ...request, dryRun: true }, selected)) as PlacedAnswer;
      expect(counted?.eventCount).toBe(5);
      await ask(site, request, selected);
      const [placed] = await commandsOf(site, selected);
      expect(placed?.progress?.listsLeft).toBe('projectId' in scope ? 2 : 1);
      await site.poll(selected);
      expect(site.takeEvents().map(({ cause }) => cause)).toEqual(Array(5).fill('replay'));
    },
  );

  it('passes over lists that config has no more, and is refused if there are no others', async () => {
    const site = await liveSite({ clock: () => Date.parse(timeAt(2)) });
    const list = 'projects/p/tasks';
    const resource: Resource = {
      name: 'tasks',
      entity: 'task',
      path: `/projects/{project_id}/tasks`,
    };
    site.api.put(`/${list}`);
    await site.poll({ catalog: makeCatalog({ additionalResources: [resource] }) });
    const request = await replayOf(site, { projectId: 'p' });
    expect(await ask(site, { ...request, dryRun: true })).toMatchObject({
      listCount: 2,
      counted: { listCount: 2 },
    });
    expect(await ask(site, { ...request, scope: { list } })).toMatchObject({
      error: { message: `Config has no resource of the list "${list}" any more.` },
    });
    expect(await site.store.loadCommands(ALL_PARTITIONS)).toEqual([]);
  });

  it('counts as far as ten seconds reach', async () => {
    const site = await liveSite({ clock: () => Date.parse(timeAt(2)) });
    site.floorplans('p', 3, 8);
    await site.poll();
    const load = site.store.loadStatesAfter.bind(site.store);
    site.store.loadStatesAfter = (...of) => {
      site.clock.advance(10_000);
      return load(...of).then(({ states }) => ({ states, next: 'x' }));
    };
    const request = { ...(await replayOf(site)), dryRun: true };
    expect(await ask(site, request)).toMatchObject({ listCount: 3, counted: { listCount: 0 } });
  });

  it('is refused while another one goes on, and nothing is changed', async () => {
    const site = await liveSite({ clock: () => Date.parse(timeAt(2)) });
    const request = await replayOf(site, { list: FEED });
    const { id } = (await ask(site, request)) as { id: string };
    expect(await ask(site, await replayOf(site))).toMatchObject({
      error: { message: `The command replay ${id} still goes on.` },
    });
    expect(await site.store.loadCommands(ALL_PARTITIONS)).toHaveLength(1);
    await site.poll();
    expect(await ask(site, request)).toMatchObject({ command: 'replay' });
  });

  it('is placed at most once by two that ask at the same moment, and the other one is refused', async () => {
    const site = await liveSite({ clock: () => Date.parse(timeAt(2)) });
    const request = await replayOf(site);
    const { store } = site;
    const save = store.saveCommands.bind(store);
    // Both have looked before one of them places anything.
    const both = Promise.withResolvers<undefined>();
    let savingCount = 0;
    store.saveCommands = async (commands) => {
      savingCount += 1;
      if (savingCount === 2) both.resolve(undefined);
      await both.promise;
      await save(commands);
    };
    const answers = await Promise.all([
      ask(site, request, { random: 0.1 }),
      ask(site, request, { random: 0.9 }),
    ]);
    const refusals = answers.filter((answer) => 'error' in answer);
    expect(refusals[0]?.error.message).toMatch(
      /^The command replay .* was placed at the same moment\.$/,
    );
    const placed = answers.filter((answer) => 'id' in answer);
    expect(await commandsOf(site)).toHaveLength(placed.length);
  });

  it('shows how far it is', async () => {
    const site = await liveSite({ clock: () => Date.parse(timeAt(2)) });
    for (const id of ['q', 'r', 's']) site.project(id, 10);
    site.floorplan('p', 'gone', 11, deletedAt(11));
    await site.catchUp();
    await ask(site, await replayOf(site));
    const [before] = await commandsOf(site);
    expect(before).toMatchObject({ command: 'replay', progress: { listsLeft: 9, counts: {} } });
    // Time passes with each event: one step a run.
    const publish = site.topic.publish.bind(site.topic);
    site.topic.publish = async (...given) => {
      site.clock.advance(60_000);
      return publish(...given);
    };
    await site.poll();
    const [after] = await commandsOf(site);
    expect(after?.progress?.listsLeft).toBeLessThan(9);
    expect(after?.progress?.counts['events']).toBeGreaterThan(0);
  });
});

describe('a command that is cancelled', () => {
  it('is in the table no more', async () => {
    const site = await liveSite({ clock: () => Date.parse(timeAt(2)) });
    const { id } = (await ask(site, { command: 'reconcile', scope: {} })) as { id: string };
    expect(await ask(site, { command: 'cancel', dryRun: true })).toMatchObject({
      cancelled: { id, command: 'reconcile' },
    });
    expect(await commandsOf(site)).toHaveLength(1);
    expect(await ask(site, { command: 'cancel', id })).toMatchObject({ cancelled: { id } });
    expect(await commandsOf(site)).toEqual([]);
  });

  it('must be named when there are several, and be one of them', async () => {
    const site = await liveSite({ clock: () => Date.parse(timeAt(2)) });
    const ids: string[] = [];
    for (const request of [{ command: 'reconcile', scope: {} }, await replayOf(site)]) {
      site.clock.advance(1_000);
      ids.push(((await ask(site, request)) as { id: string }).id);
    }
    expect(await ask(site, { command: 'cancel' })).toMatchObject({
      error: { message: `There are 2 commands: ${ids[0]} (reconcile), ${ids[1]} (replay).` },
    });
    expect(await ask(site, { command: 'cancel', id: `${ids[0]}x` })).toMatchObject({
      error: { hint: `There are ${ids[0]} (reconcile), ${ids[1]} (replay).` },
    });
    expect(await commandsOf(site)).toHaveLength(2);
  });
});
