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
    if (change.startsWith('destroy')) expect(shown.status).toBe(404);
    else expect([change, shown.json]).toMatchObject([change, { updated_at: now, deleted_at }]);
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

it('behaviour, faults and activity are changed', async () => {
  const { admin, simulator } = await startTestSimulator();
  const { behaviour, activity } = simulator;
  await admin('PATCH', '/behaviour', { lateCommits: { probability: 0.5 } });
  expect(behaviour).toMatchObject({ lateCommits: { probability: 0.5, delayMs: 5000 } });
  await admin('POST', '/faults', { kind: 'status', status: 500 });
  expect((await admin('GET', '/behaviour')).json).toEqual(behaviour);
  expect(behaviour.faults).toHaveLength(1);
  await admin('DELETE', '/faults');
  expect(behaviour.faults).toEqual([]);
  await admin('POST', '/activity', { running: true, rate: 100 });
  expect((await admin('GET', '')).json).toEqual({ running: true, rate: 100 });
  await admin('POST', '/activity', { running: false });
  expect(activity.running).toBe(false);
});

it('tokens are expired and rotated', async () => {
  const { api, admin, makeClient, simulator } = await startTestSimulator();
  await admin('POST', '/tokens/expire');
  expect((await api('/projects')).status).toBe(401);
  const rotated = await admin('POST', '/tokens/rotate');
  expect(rotated.json).toEqual({ refresh_token: simulator.refreshToken });
  expect(await makeClient().listProjects()).toHaveLength(11);
});

it('a wrong request is refused with its status', async () => {
  const { admin, projectId, world } = await startTestSimulator();
  const { id } = world.floorplans.create(projectId, { name: 'Plan' });
  world.floorplans.remove(projectId, id);
  for (const [status, method, path, body] of [
    [422, 'PATCH', '/behaviour', { cursorFilter: '=' }],
    [422, 'PATCH', '/behaviour', { unknown: 1 }],
    [422, 'POST', '/faults', { kind: 'slow' }],
    [422, 'POST', '/activity', { running: true, rate: 1000 }],
    [422, 'POST', '/changes', { change: 'explode project' }],
    [409, 'POST', '/changes', { change: 'rename project', id: 'nobody' }],
    [409, 'POST', '/changes', { change: 'upload sheet', id }],
    [404, 'POST', '/tokens/lose', {}],
    [404, 'GET', '/nothing', undefined],
  ] as const) {
    expect([path, (await admin(method, path, body)).status]).toEqual([path, status]);
  }
});
