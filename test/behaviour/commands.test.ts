import { describe, expect, it } from 'vitest';
import type { PlacedCommand, Scope } from '../../functions/core/model/command.ts';
import { ServiceError } from '../../functions/core/model/errors.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import { intercept, replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { place } from '../support/place-commands.ts';
import {
  checklistsOf,
  FEED,
  floorplansOf,
  liveSite,
  PROJECTS,
  serviceFailure,
} from '../support/site.ts';

const ALL: Scope = {};
const failure = () => Promise.reject(serviceFailure);

describe('a list that is paused', () => {
  it('is not polled, keeps its cursor, and loses nothing until it is resumed', async () => {
    const site = await liveSite();
    const before = await site.feed(FEED);
    await place(site, { name: 'pause', scope: { list: FEED } });
    site.floorplan('p', 'f', 10, { name: 'F' });
    expect(await site.paths()).not.toContain(floorplansOf('p'));
    expect(await site.feed(FEED)).toMatchObject({ paused: true, cursor: before?.cursor });
    await place(site, { name: 'resume', scope: { list: FEED } });
    expect(await site.events()).toEqual(['floorplan.updated f']);
    expect(await site.feed(FEED)).not.toHaveProperty('paused');
  });

  it.each([
    ['one list', { list: FEED }, [floorplansOf('p')]],
    ['a project', { projectId: 'p' }, [floorplansOf('p'), checklistsOf('p')]],
    ['a resource', { resource: 'floorplans' }, [floorplansOf('p'), floorplansOf('q')]],
    ['a resource of a project', { projectId: 'q', resource: 'floorplans' }, [floorplansOf('q')]],
    ['the projects', { resource: 'projects' }, [PROJECTS]],
  ])('is in the scope: %s', async (_, scope, paused) => {
    const site = await liveSite();
    site.project('q', 10);
    await site.catchUp();
    const all = await site.paths();
    await place(site, { name: 'pause', scope });
    const polled = await site.paths();
    expect(all.filter((path) => !polled.includes(path)).sort()).toEqual(paused.toSorted());
  });

  it('is in the scope of its resource although config leaves it out, as in that of all', async () => {
    const site = await liveSite();
    await place(site, { name: 'pause', scope: { resource: 'floorplans' } });
    await site.poll({ catalog: makeCatalog({ resources: [] }) });
    expect(await site.feed(FEED)).toMatchObject({ paused: true });
  });

  it('counts in the summary of a run, and is neither waiting nor failing', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), failure);
    await site.poll();
    await place(site, { name: 'pause', scope: { list: FEED } });
    expect(await site.poll()).toMatchObject({ paused: 1, feeds: 2, waiting: 0 });
    await place(site, { name: 'resume', scope: ALL });
    expect(await site.poll()).not.toHaveProperty('paused');
  });

  it('is not polled when its project changes', async () => {
    const site = await liveSite();
    await place(site, { name: 'pause', scope: { projectId: 'p' } });
    site.project('p', 10, { deleted_at: timeAt(10) });
    expect(await site.paths()).toEqual([PROJECTS]);
    expect(await site.feed(FEED)).toMatchObject({ paused: true, parked: 'project-deleted' });
  });

  it('stays so, although a run fails that has deleted a part of its commands', async () => {
    const site = await liveSite();
    await place(site, { name: 'resume', scope: ALL });
    await place(site, { name: 'pause', scope: { list: FEED } });
    const store = replaceCall(site.store, 'deleteCommands', async ({ parameters }) => {
      const [commands] = parameters as [readonly PlacedCommand[]];
      const last = commands.at(-1)?.command.id;
      await site.store.deleteCommands(commands.filter(({ command }) => command.id === last));
      throw new Error('died');
    });
    await site.poll({}, { store }).catch(() => undefined);
    expect(await site.feed(FEED)).toHaveProperty('paused');
    expect(await site.paths()).not.toContain(floorplansOf('p'));
  });

  it('leaves nothing to poll if all are: a run then costs no request', async () => {
    const site = await liveSite();
    await place(site, { name: 'pause', scope: ALL });
    expect(await site.paths()).toEqual([]);
    expect(await site.poll()).toMatchObject({ paused: 3, feeds: 0, stoppedEarly: false });
  });
});

describe('retry', () => {
  it('has a list polled that backs off', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), failure);
    await site.poll();
    expect(await site.paths()).not.toContain(floorplansOf('p'));
    await place(site, { name: 'retry', scope: { list: FEED } });
    expect(await site.paths()).toContain(floorplansOf('p'));
  });

  it('ends the wait that a service in an outage asked for', async () => {
    const site = await liveSite();
    const options = { status: 503, hint: 'Wait.', retryAfterMs: 3_600_000 };
    const busy = () => Promise.reject(new ServiceError('GET: 503', options));
    for (const path of [PROJECTS, floorplansOf('p'), checklistsOf('p')]) {
      site.api.answerNext(path, busy);
    }
    expect(await site.poll()).toHaveProperty('outageSince');
    expect(await site.paths()).toEqual([]);
    await place(site, { name: 'retry', scope: ALL });
    expect(await site.paths()).toHaveLength(3);
  });
});

describe('rewind', () => {
  it('reads a list again from a time on: what is known raises nothing, a gap is told', async () => {
    const site = await liveSite();
    site.floorplans('p', 10, 16);
    await site.catchUp();
    site.api.put(floorplansOf('p'), { id: 'late', updated_at: timeAt(12), deleted_at: null });
    expect(await site.events()).toEqual([]);
    await place(site, { name: 'rewind', scope: { list: FEED }, to: timeAt(11) });
    expect(await site.events()).toEqual(['floorplan.created late']);
    expect(await site.events()).toEqual([]);
  });

  it('never moves a cursor ahead', async () => {
    const site = await liveSite();
    const { cursor } = (await site.feed(FEED)) ?? {};
    await place(site, { name: 'rewind', scope: ALL, to: timeAt(1000) });
    await site.poll();
    expect(await site.feed(FEED)).toMatchObject({ cursor });
  });
});

describe('commands', () => {
  it('are carried out in their order, once', async () => {
    const site = await liveSite();
    await place(
      site,
      { name: 'pause', scope: ALL },
      { name: 'resume', scope: ALL },
      { name: 'pause', scope: { list: FEED } },
    );
    await site.poll();
    expect(await site.feed(FEED)).toHaveProperty('paused');
    expect(await site.feed('projects')).not.toHaveProperty('paused');
    const { commands } = await site.store.loadShard([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(commands).toEqual([]);
  });

  it('of a newer version stay in the table, and stop nothing', async () => {
    const site = await liveSite();
    await place(site, { name: 'invented', scope: ALL } as never, { name: 'pause', scope: ALL });
    expect(await site.poll()).toMatchObject({ paused: 3 });
    const { commands } = await site.store.loadShard([0]);
    expect(commands).toMatchObject([{ command: { name: 'invented' } }]);
  });

  it('are carried out again if a run dies before it has deleted them', async () => {
    const site = await liveSite();
    await place(site, { name: 'pause', scope: ALL }, { name: 'resume', scope: { list: FEED } });
    const store = intercept(site.store, ({ name, proceed }) => {
      if (name === 'deleteCommands') throw new Error('died');
      return proceed();
    });
    await expect(site.poll({}, { store })).rejects.toThrow('died');
    expect(await site.paths()).toEqual([floorplansOf('p')]);
  });
});
