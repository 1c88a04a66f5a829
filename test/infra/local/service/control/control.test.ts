import { describe, expect, it } from 'vitest';
import {
  readEntities,
  firstOf,
  readObject,
  pickRow,
  shareService,
  TestService,
} from '../support.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

describe('a control endpoint', () => {
  it('returns the status without tokens', async () => {
    const { control, exchange, running } = await TestService.start();
    const token = await exchange();
    const answer = await control('');
    expect((await control('/')).text).toBe(answer.text);
    expect(readObject(answer)).toEqual({
      now: '2024-05-01T10:00:00.000Z',
      activity: { running: false, rate: 2 },
      projects: { all: 11, alive: 10 },
      behaviour: running.behaviour,
    });
    expect(answer.text).not.toContain(running.refreshToken);
    expect(answer.text).not.toContain(token);
  });

  it('updates, deletes and restores a project', async () => {
    const { api, clock, control, projectId } = await TestService.start();
    const path = `/projects/${projectId}`;
    const change = async (method: string, rest: string, body?: unknown) => {
      clock.advance(1000);
      const answer = await control(`${path}${rest}`, { method, body });
      expect(readObject(answer)).toEqual(readObject(await api(path)));
      return readObject(answer);
    };
    expect(await change('PATCH', '', { name: 'New name', code: null })).toMatchObject({
      name: 'New name',
      code: null,
      updated_at: '2024-05-01T10:00:01.000Z',
    });
    expect(await change('DELETE', '')).toMatchObject({ deleted_at: '2024-05-01T10:00:02.000Z' });
    expect(await change('PUT', '/restore')).toMatchObject({
      deleted_at: null,
      updated_at: '2024-05-01T10:00:03.000Z',
    });
  });

  it.each(['floorplans', 'template_checklists'])(
    'removes an entity of %s without a trace',
    async (name) => {
      const { api, control, projectId } = await TestService.start();
      const list = `/projects/${projectId}/${name}`;
      const shown = readEntities(await api(list));
      const one = `${list}/${firstOf(shown).id}`;
      expect((await control(`${one}/destroy`, { method: 'POST' })).status).toBe(200);
      expect(readEntities(await api(list))).toEqual(shown.slice(1));
      expect((await api(one)).status).toBe(404);
      expect((await control(`${one}/destroy`, { method: 'POST' })).status).toBe(404);
    },
  );

  it('removes a project and all its content without a trace', async () => {
    const { api, control, projectId } = await TestService.start();
    const path = `/projects/${projectId}`;
    await control(`${path}/destroy`, { method: 'POST' });
    const lists = [path, `${path}/floorplans`].map(async (each) => (await api(each)).status);
    expect(await Promise.all(lists)).toEqual([404, 404]);
    expect(readEntities(await api('/projects')).map(({ id }) => id)).not.toContain(projectId);
  });

  it('creates and deletes a floorplan, and uploads a sheet to it', async () => {
    const { api, control, projectId } = await TestService.start();
    const list = `/projects/${projectId}/floorplans`;
    const body = { name: 'Plan', description: 'Draft' };
    const created = await control(list, { method: 'POST', body });
    expect(created.status).toBe(201);
    expect(readObject(created)).toMatchObject({ ...body, current_sheet: null });
    const one = `${list}/${String(readObject(created)['id'])}`;
    const sheet = await control(`${one}/sheets`, { method: 'POST' });
    expect(readObject(sheet)).toMatchObject({ current_sheet: { version: 1, name: 'Plan (v1)' } });
    const gone = await control(one, { method: 'DELETE' });
    expect(readObject(gone)['deleted_at']).not.toBeNull();
    expect(readObject(await api(`${one}?with_current_sheet=true`))).toEqual(readObject(gone));
  });

  it('deletes and restores a template checklist', async () => {
    const { projectId, api, control, world } = await TestService.start();
    const { id } = pickRow(world.checklists.list(projectId));
    const one = `/projects/${projectId}/template_checklists/${id}`;
    await control(one, { method: 'DELETE' });
    expect(readObject(await api(one))['deleted_at']).not.toBeNull();
    await control(`${one}/restore`, { method: 'PUT' });
    expect(readObject(await api(one))['deleted_at']).toBeNull();
  });

  it('adds, edits, removes and restores an item of a checklist', async () => {
    const { projectId, control, world } = await TestService.start();
    const { id } = pickRow(world.checklists.list(projectId));
    const items = `/projects/${projectId}/template_checklists/${id}/template_check_items`;
    const lastItem = () => world.checklists.list(projectId).get(id)?.template_check_items.at(-1);
    await control(items, { method: 'POST', body: { name: 'New' } });
    expect(lastItem()).toMatchObject({ name: 'New', deleted_at: null });
    const one = `${items}/${lastItem()?.id ?? ''}`;
    await control(one, { method: 'PATCH', body: { name: 'Newer' } });
    expect(lastItem()).toMatchObject({ name: 'Newer' });
    await control(one, { method: 'DELETE' });
    expect(lastItem()?.deleted_at).not.toBeNull();
    await control(`${one}/restore`, { method: 'PUT' });
    expect(lastItem()?.deleted_at).toBeNull();
  });

  it.each(['projects', 'floorplans', 'template_checklists'] as const)(
    'makes many %s at one timestamp',
    async (resource) => {
      const { projectId, api, control } = await TestService.start();
      const body = {
        resource,
        count: 120,
        ...(resource !== 'projects' && { project_id: projectId }),
      };
      const answer = await control('/bulk', { method: 'POST', body });
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
    const { control, running } = await TestService.start({ behaviour: { cursorFilter: '>=' } });
    const body = { roundTimestampsMs: 1000, lateCommits: { probability: 0.5 } };
    const answer = await control('/behaviour', { method: 'PATCH', body });
    expect(readObject(answer)).toMatchObject({
      cursorFilter: '>=',
      roundTimestampsMs: 1000,
      lateCommits: { probability: 0.5, delayMs: 5000 },
    });
    expect(readObject(await control('/behaviour'))).toEqual(running.behaviour);
    expect(running.behaviour.roundTimestampsMs).toBe(1000);
  });

  it('adds faults and clears them', async () => {
    const { api, control } = await TestService.start();
    const body = { kind: 'status', status: 500, path: '/api/v3/projects' };
    const added = await control('/faults', { method: 'POST', body });
    expect([added.status, (await api('/projects')).status]).toEqual([201, 500]);
    await control('/faults', { method: 'DELETE' });
    expect((await api('/projects')).status).toBe(200);
  });

  it('is not hit by faults', async () => {
    const { control } = await TestService.start({
      behaviour: { faults: [{ kind: 'status', status: 500 }] },
    });
    expect((await control('')).status).toBe(200);
  });

  it('starts the activity, changes its rate and stops it', async () => {
    const { control, world } = await TestService.start();
    const { projects, floorplans, checklists } = world;
    const hasChanged = () =>
      projects.list
        .all()
        .flatMap(({ id }) => [...floorplans.list(id).all(), ...checklists.list(id).all()])
        .some(({ updated_at }) => updated_at >= '2024-05-01T10:00:00.000Z');
    expect(hasChanged()).toBe(false);
    const started = await control('/activity', {
      method: 'POST',
      body: { running: true, rate: 100 },
    });
    expect(readObject(started)).toEqual({ running: true, rate: 100 });
    await expect.poll(hasChanged, { timeout: 20_000 }).toBe(true);
    const stopped = await control('/activity', {
      method: 'POST',
      body: { running: false },
    });
    expect(readObject(stopped)).toEqual({ running: false, rate: 100 });
  });

  it('expires the access tokens', async () => {
    const { api, control, makeClient } = await TestService.start();
    expect((await api('/projects')).status).toBe(200);
    await control('/tokens/expire', { method: 'POST' });
    expect((await api('/projects')).status).toBe(401);
    expect((await makeClient().listProjects()).entities).toHaveLength(11);
  });

  it('rotates the refresh token: the old one is refused, access tokens stay good', async () => {
    const { api, control, makeClient, running } = await TestService.start();
    await api('/projects');
    const old = running.refreshToken;
    const rotated = await control('/tokens/rotate', { method: 'POST' });
    expect(readObject(rotated)).toEqual({ refresh_token: running.refreshToken });
    expect(running.refreshToken).not.toBe(old);
    expect(running.tokens.isRefreshToken(old)).toBe(false);
    expect((await api('/projects')).status).toBe(200);
    expect((await makeClient().listProjects()).entities).toHaveLength(11);
  });

  it('revokes the refresh token until it is rotated', async () => {
    const { control, makeClient } = await TestService.start();
    const works = () =>
      makeClient()
        .listProjects()
        .then(
          () => true,
          () => false,
        );
    await control('/tokens/revoke', { method: 'POST' });
    expect(await works()).toBe(false);
    await control('/tokens/rotate', { method: 'POST' });
    expect(await works()).toBe(true);
  });
});

describe('bad input to a control endpoint', () => {
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
    ['PATCH', '/projects/{project}', { name: '' }, 'name: '],
    ['PATCH', '/projects/{project}', { color: 'blue' }, 'color: '],
    ['POST', '/projects/{project}/floorplans', {}, 'name: '],
  ])('is named: %s %s %j', async (method, path, body, message) => {
    const { control, projectId, running } = shared();
    const before = structuredClone(running.behaviour);
    const target = path.replace('{project}', projectId);
    const answer = await control(target, { method, body });
    expect(answer.status).toBe(422);
    expect(readObject(answer)['message']).toContain(message);
    expect(running.behaviour).toEqual(before);
  });

  it.each([
    ['DELETE', `/projects/${nobody}`],
    ['PUT', `/projects/${nobody}/restore`],
    ['DELETE', `/projects/{project}/floorplans/${nobody}`],
    ['POST', `/projects/{project}/floorplans/${nobody}/sheets`],
    ['DELETE', `/projects/{project}/template_checklists/${nobody}`],
    [
      'DELETE',
      `/projects/{project}/template_checklists/{checklist}/template_check_items/${nobody}`,
    ],
    ['GET', '/nothing'],
  ])('is answered with 404 for an unknown entity: %s %s', async (method, path) => {
    const { control, projectId, world } = shared();
    const checklist = pickRow(world.checklists.list(projectId));
    const target = path.replace('{project}', projectId).replace('{checklist}', checklist.id);
    expect((await control(target, { method })).status).toBe(404);
  });

  it('is answered with 400 when it is not JSON', async () => {
    const { control } = shared();
    for (const path of ['/bulk', '/faults', '/activity']) {
      const answer = await control(path, { method: 'POST', body: 'not json' });
      expect(answer.status).toBe(400);
    }
  });

  it('is answered with 409 when it changes a deleted entity', async () => {
    const { projectId, control, world } = shared();
    const floorplan = pickRow(world.floorplans.list(projectId), 'deleted');
    const checklist = pickRow(world.checklists.list(projectId), 'deleted');
    const item = firstOf(checklist.template_check_items);
    const project = `/projects/${projectId}`;
    const calls = [
      ['POST', `${project}/floorplans/${floorplan.id}/sheets`],
      ['DELETE', `${project}/template_checklists/${checklist.id}/template_check_items/${item.id}`],
    ] as const;
    for (const [method, path] of calls) {
      expect((await control(path, { method })).status).toBe(409);
    }
  });
});
