import { describe, expect, it } from 'vitest';
import type {
  ForgetCommand,
  InstantCommand,
  PlacedCommand,
} from '../../functions/core/model/command.ts';
import { feedPartition, partitionsOf } from '../../functions/core/model/feed.ts';
import type { LeaseGuard } from '../../functions/core/ports/lease-guard.ts';
import { intercept, replaceCall } from '../support/intercept.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { FIRST, idIn, SECOND, shardedSite } from '../support/sharded-site.ts';
import { FEED, floorplansOf, liveSite, type Site } from '../support/site.ts';

/** Orders a project to be forgotten, as the control function does. */
async function forget(site: Site, projectId: string): Promise<void> {
  const command = { id: '000001', name: 'forget', scope: { projectId } } as const;
  await site.store.saveCommands([{ partition: feedPartition({ projectId }), command }]);
}

const listsOf = async (site: Site, projectId: string) =>
  (await site.store.loadFeeds(partitionsOf(0, 1))).filter((feed) => feed.projectId === projectId);
const commandsOf = (site: Site) => site.store.loadCommands(partitionsOf(0, 1));
const stateOf = async (site: Site, projectId: string) =>
  (await site.store.loadStates('projects', [`project#${projectId}`])).get(`project#${projectId}`);

describe('a project that is forgotten', () => {
  it('has no list and no state any more, and raises no event until it is shown again', async () => {
    const site = await liveSite();
    site.project('q', 3);
    await site.catchUp();
    await forget(site, 'p');
    site.floorplan('p', 'f', 10);
    expect(await site.events()).toEqual([]);
    expect(await listsOf(site, 'p')).toEqual([]);
    expect(await listsOf(site, 'q')).toHaveLength(2);
    expect(await stateOf(site, 'p')).toBeUndefined();
    expect((await site.store.loadStates(FEED, ['floorplan#f'])).size).toBe(0);
    expect(await commandsOf(site)).toEqual([]);
    expect(await site.events()).toEqual([]);
  });

  it('goes on being forgotten in the next run when a run has no time left', async () => {
    const site = await liveSite();
    await forget(site, 'p');
    const store = intercept(site.store, async ({ name, parameters, proceed }) => {
      if (name !== 'removeFeed') return proceed();
      site.clock.advance(50_000);
      await settlePromises();
      (parameters[1] as LeaseGuard).assertHeld();
      return proceed();
    });
    expect(await site.poll({ leaseMs: 600_000 }, { store })).toMatchObject({
      stoppedEarly: true,
      pages: 0,
    });
    expect(await commandsOf(site)).toHaveLength(1);
    expect(await site.events()).toEqual([]);
    expect(await listsOf(site, 'p')).toEqual([]);
    expect(await commandsOf(site)).toEqual([]);
  });

  it.each([5, 6])(
    'has each part of its command deleted once, with lists in partition %i: the table takes no key twice',
    async (partition) => {
      const site = await liveSite();
      const projectId = idIn({ partitions: [partition] });
      site.project(projectId, 5);
      await site.catchUp();
      await forget(site, projectId);
      const deleted: number[] = [];
      const store = replaceCall(site.store, 'deleteCommands', ({ parameters, proceed }) => {
        deleted.push(...(parameters[0] as PlacedCommand[]).map((placed) => placed.partition));
        return proceed();
      });
      await site.poll({}, { store });
      expect(deleted).toEqual([...new Set([partition, feedPartition({})])]);
    },
  );

  it('is new with all its content when it changes', async () => {
    const site = await liveSite();
    await forget(site, 'p');
    await site.events();
    site.project('p', 10);
    const events = ['project.created p', 'floorplan.created f', 'floorplan.deleted gone'];
    expect(await site.events()).toEqual(events);
    expect(await site.events()).toEqual([]);
  });
});

describe('a project of another shard than the list of projects', () => {
  const other = idIn(SECOND);

  it('is forgotten by both: its state only once its lists are gone', async () => {
    const site = await shardedSite();
    await forget(site, other);
    await site.poll(FIRST);
    expect(await stateOf(site, other)).toBeDefined();
    await site.poll(SECOND);
    expect(await listsOf(site, other)).toEqual([]);
    expect(await stateOf(site, other)).toBeDefined();
    expect(await commandsOf(site)).toMatchObject([{ command: { areListsGone: true } }]);
    site.project(other, 20);
    site.clock.advance(60_000);
    const told = [await site.events(FIRST), await site.events(SECOND)];
    expect(told).toEqual([[`project.created ${other}`], ['floorplan.created f']]);
    expect(await commandsOf(site)).toEqual([]);
  });

  const deaths = ['before', 'after'].flatMap((when) =>
    [1, 2, 3, 4, 5, 6, 7, 8].map((call) => ({ when, call })),
  );
  it.each(deaths)(
    'is never half forgotten, though a run dies $when write $call, and it changes meanwhile',
    async ({ when, call }) => {
      const site = await shardedSite();
      await forget(site, other);
      let [writes, isDead] = [0, false];
      const store = intercept(site.store, async ({ name, proceed }) => {
        if (!/^(save|delete|commit|remove)/.test(name)) return proceed();
        writes += 1;
        if (isDead || (writes === call && when === 'before')) isDead = true;
        else await proceed();
        if (writes === call) isDead = true;
        if (isDead) throw new Error('died');
        return undefined;
      });
      await site.poll(SECOND, { store }).catch(() => undefined);
      site.clock.advance(120_000);
      site.project(other, 200);
      const told: string[] = [];
      for (const shard of [FIRST, SECOND, FIRST, SECOND, FIRST, SECOND]) {
        told.push(...(await site.events(shard)));
        site.clock.advance(120_000);
      }
      expect(await commandsOf(site)).toEqual([]);
      // A change that is told before the project is forgotten is the last one of it.
      const isForgottenAfterwards = told.includes(`project.updated ${other}`);
      const created = [`project.created ${other}`, 'floorplan.created f'];
      expect(told).toEqual(isForgottenAfterwards ? [`project.updated ${other}`] : created);
      expect(await listsOf(site, other)).toHaveLength(isForgottenAfterwards ? 0 : 2);
      expect((await stateOf(site, other)) === undefined).toBe(isForgottenAfterwards);
      expect(await site.feed(floorplansOf(idIn(FIRST)).slice(1))).toBeDefined();
    },
  );

  it('is forgotten once, though it was forgotten half-way when the shards are joined', async () => {
    const site = await shardedSite();
    await forget(site, other);
    // The second shard dies after it has left the rest to the first, before it deletes its own part.
    const died = new Error('died');
    const store = replaceCall(site.store, 'deleteCommands', () => Promise.reject(died));
    await expect(site.poll(SECOND, { store })).rejects.toThrow(died);
    expect(await commandsOf(site)).toHaveLength(2);
    site.clock.advance(120_000);
    await expectForgottenOnce(site, other);
  });
});

it.each([
  ['before', 0],
  ['behind', 15],
])(
  'a project whose lists lie %s those of the projects is forgotten once, if both parts are one shard’s',
  async (_, partition) => {
    const site = await liveSite();
    const projectId = idIn({ partitions: [partition] });
    site.project(projectId, 5);
    site.floorplan(projectId, 'f', 6);
    await site.catchUp();
    await forget(site, projectId);
    const [placed] = await commandsOf(site);
    const command = { ...placed?.command, areListsGone: true } as ForgetCommand & InstantCommand;
    await site.store.saveCommands([{ partition: feedPartition({}), command }]);
    await expectForgottenOnce(site, projectId);
  },
);

/** Runs one shard that owns all lists. */
async function expectForgottenOnce(site: Site, projectId: string): Promise<void> {
  expect(await site.events()).toEqual([]);
  expect(await commandsOf(site)).toEqual([]);
  expect(await stateOf(site, projectId)).toBeUndefined();
  site.project(projectId, 200);
  expect(await site.events()).toEqual([`project.created ${projectId}`, 'floorplan.created f']);
  site.project(projectId, 300);
  expect(await site.events()).toEqual([`project.updated ${projectId}`]);
}
