import { describe, expect, it } from 'vitest';
import {
  readEntities,
  firstOf,
  readObject,
  pickRow,
  shareService,
  TestService,
} from '../support.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const text = expect.any(String) as string;

describe('errors', () => {
  const shared = shareService();
  const nobody = '00000000-0000-4000-8000-000000000000';

  it.each([
    `/projects/${nobody}`,
    `/projects/${nobody}/floorplans`,
    `/projects/${nobody}/floorplans/${nobody}`,
    `/projects/${nobody}/template_checklists`,
    `/projects/{project}/floorplans/${nobody}`,
    `/projects/{project}/template_checklists/${nobody}`,
    '/projects/{project}/sheets',
    '/accounts',
  ])('answers GET %s with 404', async (path) => {
    const answer = await shared().api(path.replace('{project}', shared().projectId));
    expect(answer.status).toBe(404);
    expect(readObject(answer)).toEqual({ error: 'not_found', message: text });
  });

  it('answers an operation that the spec does not show with 404', async () => {
    const { projectId, api, world } = shared();
    const project = `/projects/${projectId}`;
    const floorplan = pickRow(world.floorplans.list(projectId)).id;
    const checklist = pickRow(world.checklists.list(projectId)).id;
    const calls = [
      ['DELETE', project],
      ['PATCH', project],
      ['POST', `${project}/floorplans`],
      ['DELETE', `${project}/floorplans/${floorplan}`],
      ['DELETE', `${project}/template_checklists/${checklist}`],
      ['PUT', `${project}/template_checklists/${checklist}/restore`],
    ] as const;
    for (const [method, path] of calls) {
      expect((await api(path, { method, body: { name: 'x' } })).status).toBe(404);
    }
  });

  it('answers an entity of another project with 404', async () => {
    const { api, projectId, running } = shared();
    const { world } = running;
    const other = world.projects.create({ name: 'Other' }).id;
    const { id } = pickRow(world.floorplans.list(projectId));
    expect((await api(`/projects/${other}/floorplans/${id}`)).status).toBe(404);
  });

  it('returns a deleted entity, and answers a change to it with 409', async () => {
    const { projectId, api, world } = shared();
    const floorplan = pickRow(world.floorplans.list(projectId), 'deleted');
    const checklist = pickRow(world.checklists.list(projectId), 'deleted');
    const paths = [
      `/projects/${projectId}/floorplans/${floorplan.id}`,
      `/projects/${projectId}/template_checklists/${checklist.id}`,
    ];
    for (const path of paths) {
      expect(readObject(await api(path))['deleted_at']).toMatch(TIME);
      const change = await api(path, { method: 'PATCH', body: { name: 'x' } });
      expect(change.status).toBe(409);
    }
    const turn = await api(`${firstOf(paths)}/rotate`, { method: 'PUT' });
    expect(turn.status).toBe(409);
  });

  it.each([
    ['POST', '/projects', {}, 'name'],
    ['POST', '/projects', { name: '' }, 'name'],
    ['POST', '/projects', { name: 'x', color: 'red' }, 'color'],
    ['POST', '/projects', { name: 'x', code: 7 }, 'code'],
    ['POST', '/projects', [], 'the body'],
    ['POST', '/projects/{project}/template_checklists', { name: null }, 'name'],
    ['PATCH', '/projects/{project}/template_checklists/{checklist}', { name: 3 }, 'name'],
    ['PATCH', '/projects/{project}/floorplans/{floorplan}', { name: {} }, 'name'],
    ['PATCH', '/projects/{project}/floorplans/{floorplan}', { description: 1 }, 'description'],
    ['PUT', '/projects/{project}/floorplans/{floorplan}/rotate', { angle: 45 }, 'angle'],
  ])('answers %s %s with the body %j with 422 and names the field', async (...row) => {
    const [method, path, body, field] = row;
    const { projectId, api, world } = shared();
    const before = JSON.stringify(world.projects.list.all());
    const answer = await api(
      path
        .replace('{project}', projectId)
        .replace('{floorplan}', pickRow(world.floorplans.list(projectId)).id)
        .replace('{checklist}', pickRow(world.checklists.list(projectId)).id),
      { method, body },
    );
    expect(answer.status).toBe(422);
    expect(readObject(answer)['message']).toMatch(new RegExp(`^${field}: .*, got `));
    expect(JSON.stringify(world.projects.list.all())).toBe(before);
  });

  it('answers a body that is not JSON with 400, one that is too large with 413', async () => {
    const { api } = shared();
    const broken = await api('/projects', { method: 'POST', body: '{"name":' });
    const large = await api('/projects', {
      method: 'POST',
      body: { name: 'x'.repeat(1_000_001) },
    });
    expect([broken.status, large.status]).toEqual([400, 413]);
    // The rest of the body is not read, so the client must open another connection.
    expect(large.headers.get('connection')).toBe('close');
    expect(broken.headers.get('connection')).toBe('keep-alive');
  });

  it('returns lists below a deleted project, and answers changes there with 409', async () => {
    const { projectId, api, world } = await TestService.start();
    world.projects.remove(projectId);
    const list = await api(`/projects/${projectId}/floorplans`);
    expect(readEntities(list)).toHaveLength(6);
    const change = await api(`/projects/${projectId}/template_checklists`, {
      method: 'POST',
      body: { name: 'x' },
    });
    expect(change.status).toBe(409);
  });
});
