import { describe, expect, it } from 'vitest';
import { makeCatalogue } from '../../../functions/core/resources.ts';
import { deletedAt, entity, liveSite, PROJECTS } from '../../support/site.ts';

const HOUR = 3_600_000;

describe('a project that goes', () => {
  it('has its lists looked at once more, then parked without deletes, and resumed on restore', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'last words' });
    site.project('p', 11, deletedAt(11));
    expect((await site.events()).sort()).toEqual([
      'floorplan.updated /projects/p/floorplans/f',
      'project.deleted /projects/p',
    ]);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ parked: 'project-deleted' });
    site.api.takePaths();
    await site.poll();
    expect(site.api.takePaths()).toEqual([PROJECTS]);

    site.project('p', 20);
    site.floorplan('p', 'f', 21, { name: 'back' });
    expect(await site.events()).toEqual([
      'project.restored /projects/p',
      'floorplan.updated /projects/p/floorplans/f',
    ]);
    expect(await site.feed('projects/p/floorplans')).not.toHaveProperty('parked');
  });

  it('stays gone when an older answer shows it alive', async () => {
    const site = await liveSite({ overlapMs: 60_000 });
    site.project('p', 11, deletedAt(11));
    await site.poll();
    site.project('p', 5);
    await site.poll();
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ parked: 'project-deleted' });
  });

  it('is looked at rarely, so that a change of its lists is found all the same', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    await site.poll();
    site.takeEvents();
    site.floorplan('p', 'f', 12, { name: 'after the end' });
    expect(await site.events()).toEqual([]);
    site.clock.advance(HOUR);
    expect(await site.events()).toEqual(['floorplan.updated /projects/p/floorplans/f']);
  });

  it('and comes back between two polls keeps its lists going', async () => {
    const site = await liveSite();
    site.project('p', 12);
    expect(await site.events()).toEqual(['project.updated /projects/p']);
    expect(await site.feed('projects/p/floorplans')).not.toHaveProperty('parked');
  });

  it('before it was ever seen gets no lists until it is restored', async () => {
    const site = await liveSite();
    site.project('q', 10, deletedAt(10));
    site.floorplan('q', 'f', 9);
    expect(await site.events()).toEqual(['project.deleted /projects/q']);
    expect(await site.feed('projects/q/floorplans')).toBeUndefined();
    site.project('q', 20);
    expect(await site.events()).toEqual([
      'project.restored /projects/q',
      'floorplan.created /projects/q/floorplans/f',
    ]);
  });
});

describe('config that grows by a resource', () => {
  const catalogue = makeCatalogue({
    furtherResources: [{ name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' }],
  });

  it('starts its lists as the first deployment did, for the projects that are there', async () => {
    const site = await liveSite();
    site.api.put('/projects/p/tasks', entity('t', 1));
    expect(await site.events({ catalogue })).toEqual([]);
    site.api.put('/projects/p/tasks', entity('t', 5));
    site.project('q', 10);
    site.api.put('/projects/q/tasks', entity('u', 1));
    expect(await site.events({ catalogue })).toEqual([
      'project.created /projects/q',
      'task.updated /projects/p/tasks/t',
      'task.created /projects/q/tasks/u',
    ]);
  });

  it('starts anew when the path of a list changes: another list, another baseline', async () => {
    const site = await liveSite();
    site.api.put('/projects/p/tasks', entity('t', 1));
    await site.poll({ catalogue });
    const moved = makeCatalogue({
      furtherResources: [{ name: 'tasks', entity: 'task', path: '/projects/{project_id}/jobs' }],
    });
    site.api.put('/projects/p/jobs', entity('t', 1), entity('u', 2));
    site.project('p', 20, { name: 'touched' });
    expect(await site.events({ catalogue: moved })).toEqual(['project.updated /projects/p']);
    site.api.takePaths();
    await site.poll({ catalogue: moved });
    expect(site.api.takePaths().filter((path) => path.endsWith('jobs'))).toHaveLength(1);
  });

  it('starts the lists of a deleted project parked', async () => {
    const site = await liveSite();
    site.project('p', 10, deletedAt(10));
    await site.poll();
    site.api.put('/projects/p/tasks', entity('t', 1));
    await site.poll({ catalogue });
    expect(await site.feed('projects/p/tasks')).toMatchObject({ parked: 'project-deleted' });
  });

  it('takes a list up again that was left out while its project was restored', async () => {
    const site = await liveSite();
    site.api.put('/projects/p/tasks', entity('t', 1));
    await site.poll({ catalogue });
    site.project('p', 10, deletedAt(10));
    await site.poll({ catalogue });
    site.project('p', 20);
    await site.poll();
    await site.poll({ catalogue });
    expect(await site.feed('projects/p/tasks')).not.toHaveProperty('parked');
  });

  it('and shrinks again leaves the lists of that resource alone', async () => {
    const site = await liveSite();
    site.api.put('/projects/p/tasks', entity('t', 1));
    await site.poll({ catalogue });
    site.api.takePaths();
    await site.poll();
    expect(site.api.takePaths()).not.toContain('/projects/p/tasks');
  });
});
