import { describe, expect, it } from 'vitest';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import { timeAt } from '../support/list-service.ts';
import { FIRST, SECOND, shardedSite } from '../support/sharded-site.ts';
import { deletedAt, entityAt, liveSite } from '../support/site.ts';

const USERS = '/users';
const resource = { name: 'users', entity: 'user', path: USERS };
const withUsers = { catalog: makeCatalog({ additionalResources: [resource] }) };

/** A site whose table knows no list of users yet. */
async function siteWithUsers() {
  const site = await liveSite();
  site.takeEvents();
  site.api.put(USERS, entityAt('u', 5, { account_id: 7 }));
  return site;
}

it('an additional list of projects begins with a baseline in each that is not deleted', async () => {
  const site = await liveSite();
  for (const id of ['q', 'gone', 'lost']) site.project(id, 10);
  await site.catchUp();
  site.project('gone', 11, deletedAt(11));
  await site.catchUp();
  // As if a run had died before it saved the project.
  site.store.lose('projects', 'project#lost');
  const path = '/projects/{project_id}/tasks';
  const tasks = { name: 'tasks', entity: 'task', path };
  const withTasks = { catalog: makeCatalog({ additionalResources: [tasks] }) };
  for (const id of ['p', 'q']) site.api.put(`/projects/${id}/tasks`, entityAt('t', 5));
  expect(await site.events(withTasks)).toEqual([]);
  for (const id of ['gone', 'lost'])
    expect(await site.feed(`projects/${id}/tasks`)).toBeUndefined();
  for (const id of ['p', 'q']) site.api.put(`/projects/${id}/tasks`, entityAt('t', 20));
  await site.poll(withTasks);
  const attributes = { type: 'task.updated', accountid: '7' };
  expect(site.takeEvents()).toMatchObject([
    { ...attributes, projectid: 'p' },
    { ...attributes, projectid: 'q' },
  ]);
});

describe('an additional list of the account', () => {
  it('begins with a baseline when config adds it, and its events have no project', async () => {
    const site = await siteWithUsers();
    expect(await site.paths(withUsers)).toContain(USERS);
    expect(site.takeEvents()).toEqual([]);
    site.api.put(USERS, entityAt('u', 20, { account_id: 7, name: 'Ada' }));
    site.api.put(USERS, entityAt('v', 21));
    await site.poll(withUsers);
    const [updated, created] = site.takeEvents();
    expect(updated).toMatchObject({ type: 'user.updated', subject: '/users/u', accountid: '7' });
    expect(created).toMatchObject({ type: 'user.created', subject: '/users/v' });
    for (const event of [updated, created]) expect(event).not.toHaveProperty('projectid');
    site.api.put(USERS, entityAt('u', 22, deletedAt(22)));
    expect(await site.events(withUsers)).toEqual(['user.deleted u']);
  });

  it('brings no project, and takes none along: its entities are no projects', async () => {
    const site = await siteWithUsers();
    await site.catchUp();
    site.api.put(USERS, entityAt('p', 20, deletedAt(20)));
    site.api.put(USERS, entityAt('q', 21));
    await site.poll(withUsers);
    expect(await site.feed('projects/p/floorplans')).not.toHaveProperty('parked');
    expect(await site.feed('projects/q/floorplans')).toBeUndefined();
    site.floorplan('p', 'f', 22, { name: 'Level 1' });
    expect(await site.events(withUsers)).toEqual(['floorplan.updated f']);
  });

  it('is polled by the shard of the list of projects, and by no other', async () => {
    const site = await shardedSite();
    site.api.put(USERS, entityAt('u', 5));
    expect(await site.paths({ ...SECOND, ...withUsers })).not.toContain(USERS);
    expect(await site.paths({ ...FIRST, ...withUsers })).toContain(USERS);
    expect(await site.feed('users')).toMatchObject({ phase: 'live', cursor: timeAt(5) });
  });
});
