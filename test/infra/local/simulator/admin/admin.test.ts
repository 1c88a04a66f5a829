import { describe, expect, it } from 'vitest';
import { readEntities, readObject, pickRow, shareService, TestService } from '../support.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

describe('an admin endpoint', () => {
  it('returns the status without tokens', async () => {
    const { admin, exchange, running } = await TestService.start();
    const token = await exchange();
    const answer = await admin('');
    expect((await admin('/')).text).toBe(answer.text);
    expect(readObject(answer)).toEqual({
      now: '2024-05-01T10:00:00.000Z',
      activity: { running: false, rate: 2 },
      projects: { all: 11, alive: 10 },
      behaviour: running.behaviour,
    });
    expect(answer.text).not.toContain(running.refreshToken);
    expect(answer.text).not.toContain(token);
  });

  it('makes each change that it lists, and names the subject of its event', async () => {
    const { api, clock, admin } = await TestService.start();
    const possible = JSON.parse((await admin('/changes')).text) as {
      readonly change: string;
      readonly type: string;
    }[];
    expect(possible.map(({ change }) => change)).not.toContain('create task');
    for (const { change, type } of possible) {
      clock.advance(1000);
      const answer = await admin('/changes', { method: 'POST', body: { change } });
      expect(answer.status, change).toBe(201);
      const { subject } = readObject(answer) as { subject: string };
      if (!/^\/projects\/[^/]+(\/(floorplans|template_checklists)\/[^/]+)?$/.test(subject))
        continue;
      const shown = await api(subject);
      if (change.startsWith('destroy')) {
        expect(shown.status, change).toBe(404);
        continue;
      }
      const now = new Date(clock.time).toISOString();
      expect(readObject(shown), change).toMatchObject({
        updated_at: now,
        deleted_at: type.endsWith('.deleted') ? now : null,
      });
    }
  });

  it('changes the entity that is wished for, and gives it the name', async () => {
    const { api, admin, projectId } = await TestService.start();
    const body = { change: 'create floorplan', id: projectId, name: 'Plan' };
    const { subject } = readObject(await admin('/changes', { method: 'POST', body }));
    expect(subject).toMatch(`/projects/${projectId}/floorplans/`);
    expect(readObject(await api(String(subject)))['name']).toBe('Plan');
    const id = String(subject).split('/').at(-1);
    const renamed = { change: 'rename floorplan', id, name: 'New plan' };
    await admin('/changes', { method: 'POST', body: renamed });
    expect(readObject(await api(String(subject)))['name']).toBe('New plan');
  });

  it.each(['projects', 'floorplans', 'template_checklists'] as const)(
    'makes many %s at one timestamp',
    async (resource) => {
      const { projectId, api, admin } = await TestService.start();
      const body = {
        resource,
        count: 120,
        ...(resource !== 'projects' && { project_id: projectId }),
      };
      const answer = await admin('/bulk', { method: 'POST', body });
      expect(answer.status).toBe(201);
      const path = resource === 'projects' ? '/projects' : `/projects/${projectId}/${resource}`;
      const list = await api(path, { headers: { 'Service-Per-Page': '1000' } });
      const made = readEntities(list).filter(
        ({ updated_at }) => updated_at === readObject(answer)['updated_at'],
      );
      expect(made.map(({ id }) => id).sort()).toEqual(
        (readObject(answer)['ids'] as string[]).sort(),
      );
      expect(made).toHaveLength(120);
    },
  );

  it('changes some fields of the behaviour and keeps the others', async () => {
    const { admin, running } = await TestService.start({ behaviour: { cursorFilter: '>=' } });
    const body = { roundTimestampsMs: 1000, lateCommits: { probability: 0.5 } };
    const answer = await admin('/behaviour', { method: 'PATCH', body });
    expect(readObject(answer)).toMatchObject({
      cursorFilter: '>=',
      roundTimestampsMs: 1000,
      lateCommits: { probability: 0.5, delayMs: 5000 },
    });
    expect(readObject(await admin('/behaviour'))).toEqual(running.behaviour);
    expect(running.behaviour.roundTimestampsMs).toBe(1000);
  });

  it('adds faults and clears them', async () => {
    const { api, admin } = await TestService.start();
    const body = { kind: 'status', status: 500, path: '/api/v3/projects' };
    const added = await admin('/faults', { method: 'POST', body });
    expect([added.status, (await api('/projects')).status]).toEqual([201, 500]);
    await admin('/faults', { method: 'DELETE' });
    expect((await api('/projects')).status).toBe(200);
  });

  it('is not hit by faults', async () => {
    const { admin } = await TestService.start({
      behaviour: { faults: [{ kind: 'status', status: 500 }] },
    });
    expect((await admin('')).status).toBe(200);
  });

  it('starts the activity, changes its rate and stops it', async () => {
    const { admin, world } = await TestService.start();
    const { projects, floorplans, checklists } = world;
    const hasChanged = () =>
      projects.list
        .all()
        .flatMap(({ id }) => [...floorplans.list(id).all(), ...checklists.list(id).all()])
        .some(({ updated_at }) => updated_at >= '2024-05-01T10:00:00.000Z');
    expect(hasChanged()).toBe(false);
    const started = await admin('/activity', {
      method: 'POST',
      body: { running: true, rate: 100 },
    });
    expect(readObject(started)).toEqual({ running: true, rate: 100 });
    await expect.poll(hasChanged, { timeout: 20_000 }).toBe(true);
    const stopped = await admin('/activity', {
      method: 'POST',
      body: { running: false },
    });
    expect(readObject(stopped)).toEqual({ running: false, rate: 100 });
  });

  it('expires the access tokens', async () => {
    const { api, admin, makeClient } = await TestService.start();
    expect((await api('/projects')).status).toBe(200);
    await admin('/tokens/expire', { method: 'POST' });
    expect((await api('/projects')).status).toBe(401);
    expect((await makeClient().listProjects()).entities).toHaveLength(11);
  });

  it('rotates the refresh token: the old one is refused, access tokens stay good', async () => {
    const { api, admin, makeClient, running } = await TestService.start();
    await api('/projects');
    const old = running.refreshToken;
    const rotated = await admin('/tokens/rotate', { method: 'POST' });
    expect(readObject(rotated)).toEqual({ refresh_token: running.refreshToken });
    expect(running.refreshToken).not.toBe(old);
    expect(running.tokens.isRefreshToken(old)).toBe(false);
    expect((await api('/projects')).status).toBe(200);
    expect((await makeClient().listProjects()).entities).toHaveLength(11);
  });

  it('revokes the refresh token until it is rotated', async () => {
    const { admin, makeClient } = await TestService.start();
    const works = () =>
      makeClient()
        .listProjects()
        .then(
          () => true,
          () => false,
        );
    await admin('/tokens/revoke', { method: 'POST' });
    expect(await works()).toBe(false);
    await admin('/tokens/rotate', { method: 'POST' });
    expect(await works()).toBe(true);
  });
});

describe('bad input to an admin endpoint', () => {
  const shared = shareService();

  it.each([
    ['PATCH', '/behaviour', { cursorFilter: '=' }, 'cursorFilter: '],
    ['PATCH', '/behaviour', { cursorfilter: '>' }, 'cursorfilter'],
    ['PATCH', '/behaviour', [], 'must be an object'],
    ['PATCH', '/behaviour', { lateCommits: { delayMs: -1 } }, 'lateCommits.delayMs: '],
    ['POST', '/faults', { kind: 'status', status: 200 }, 'status: '],
    ['POST', '/faults', { kind: 'slow' }, 'delayMs: '],
    ['POST', '/faults', { kind: 'cut_body', next: 0 }, 'next: '],
    ['POST', '/faults', { kind: 'cut_body', path: 'projects' }, 'path: '],
    ['POST', '/activity', {}, 'running: '],
    ['POST', '/activity', { running: true, rate: 1000 }, 'rate: '],
    ['POST', '/bulk', { resource: 'sheets', count: 1 }, 'resource: '],
    ['POST', '/bulk', { resource: 'projects', count: 0 }, 'count: '],
    ['POST', '/bulk', { resource: 'floorplans', count: 1 }, 'project_id: '],
    ['POST', '/changes', { change: 'explode project' }, 'change: '],
    ['POST', '/changes', { change: 'create project', name: '' }, 'name: '],
  ])('is named: %s %s %j', async (method, path, body, message) => {
    const { admin, running } = shared();
    const before = structuredClone(running.behaviour);
    const answer = await admin(path, { method, body });
    expect(answer.status).toBe(422);
    expect(readObject(answer)['message']).toContain(message);
    expect(running.behaviour).toEqual(before);
  });

  it('is answered with 404 for an unknown path', async () => {
    expect((await shared().admin('/nothing')).status).toBe(404);
  });

  it('is answered with 400 when it is not JSON', async () => {
    const { admin } = shared();
    for (const path of ['/bulk', '/faults', '/activity']) {
      const answer = await admin(path, { method: 'POST', body: 'not json' });
      expect(answer.status).toBe(400);
    }
  });

  it('is answered with 409 when no entity suits, or it may not change', async () => {
    const { projectId, admin, world } = shared();
    const { id } = pickRow(world.floorplans.list(projectId), 'deleted');
    for (const body of [
      { change: 'rename project', id: nobody },
      { change: 'upload sheet', id },
    ]) {
      expect((await admin('/changes', { method: 'POST', body })).status).toBe(409);
    }
  });
});
