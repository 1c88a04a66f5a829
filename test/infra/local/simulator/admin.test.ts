import { expect, it } from 'vitest';
import { startTestSimulator } from './support.ts';

const OF_ITS_OWN = /^\/projects\/[^/]+(\/(floorplans|template_checklists)\/[^/]+)?$/;

it('each possible change is made, and its subject named', async () => {
  const { api, clock, admin } = await startTestSimulator();
  const possible = (await admin('GET', '/changes')).json as { change: string; type: string }[];
  for (const { change, type } of possible) {
    clock.time += 1000;
    const made = await admin('POST', '/changes', { change });
    expect([change, made.status]).toEqual([change, 201]);
    const { subject } = made.json as { readonly subject: string };
    if (!OF_ITS_OWN.test(subject)) continue;
    const shown = await api(subject);
    const now = new Date(clock.time).toISOString();
    const deleted_at = type.endsWith('.deleted') ? now : null;
    expect([change, shown.json]).toMatchObject([change, { updated_at: now, deleted_at }]);
  }
});

it('an entity that is wished for is changed', async () => {
  const { api, admin, projectId } = await startTestSimulator();
  const wish = { change: 'create floorplan', id: projectId, name: 'Plan' };
  const { subject } = (await admin('POST', '/changes', wish)).json as { subject: string };
  const id = subject.split('/').at(-1);
  await admin('POST', '/changes', { change: 'rename floorplan', id, name: 'New plan' });
  expect((await api(subject)).json).toMatchObject({ project_id: projectId, name: 'New plan' });
});

it('a wrong request is refused with its status', async () => {
  const { admin, projectId, world } = await startTestSimulator();
  const { id } = world.floorplans.create(projectId, { name: 'Plan' });
  world.floorplans.list(projectId).remove(id);
  for (const [status, method, path, body] of [
    [422, 'POST', '/changes', { change: 'explode project' }],
    [409, 'POST', '/changes', { change: 'rename project', id: 'nobody' }],
    [409, 'POST', '/changes', { change: 'upload sheet', id }],
    [404, 'GET', '/nothing', undefined],
  ] as const) {
    expect([path, (await admin(method, path, body)).status]).toEqual([path, status]);
  }
});
