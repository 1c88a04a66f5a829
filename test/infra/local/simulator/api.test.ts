import { describe, expect, it } from 'vitest';
import { sendRequest, startTestSimulator } from './support.ts';

const text = expect.any(String) as string;
const number = expect.any(Number) as number;
const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const times = { created_at: time, updated_at: time, deleted_at: null };
const deviceTimes = { device_created_at: time, device_updated_at: time, resolved_conflict: false };
const nobody = '00000000-0000-4000-8000-000000000000';

describe('every operation of the spec', () => {
  it('lists, returns and creates projects', async () => {
    const { makeClient } = await startTestSimulator();
    const client = makeClient();
    const [first] = await client.listProjects();
    const project = { id, name: text, account_id: number, code: text, color: text };
    expect(first).toEqual({ ...project, plan_name: text, ...times });
    expect(await client.getProject(String(first?.id))).toEqual(first);
    const created = await client.createProject({ name: 'Tower', color: '#00FF00' });
    expect(created).toMatchObject({ name: 'Tower', color: '#00FF00' });
    expect((await client.listProjects()).at(-1)).toEqual(created);
  });

  it('lists, returns, creates and updates template checklists', async () => {
    const { projectId, makeClient } = await startTestSimulator();
    const client = makeClient();
    const [first] = await client.listTemplateChecklists(projectId);
    const users = { creator_user_id: number, last_editor_user_id: number };
    const fields = { id, project_id: projectId, name: text };
    expect(first).toEqual({ ...fields, ...users, ...times, ...deviceTimes });
    const created = await client.createTemplateChecklist(projectId, { name: 'Handover' });
    const createdId = String(created.id);
    expect(await client.getTemplateChecklist(projectId, createdId)).toEqual(created);
    const updated = await client.updateTemplateChecklist(projectId, createdId, { name: 'Done' });
    expect(updated).toMatchObject({ id: createdId, name: 'Done' });
    expect((await client.listTemplateChecklists(projectId)).at(-1)).toEqual(updated);
  });

  it('lists, returns, updates, restores and rotates floorplans', async () => {
    const { projectId, makeClient, world } = await startTestSimulator();
    const client = makeClient();
    const plan = world.floorplans.create(projectId, { name: 'Plan' });
    expect((await client.listFloorplans(projectId)).at(-1)).toMatchObject({ id: plan.id });
    const renamed = await client.updateFloorplan(projectId, plan.id, { name: 'Roof' });
    expect(await client.getFloorplan(projectId, plan.id)).toEqual(renamed);
    const turned = await client.rotateFloorplan(projectId, plan.id);
    expect([renamed.name, turned['rotation']]).toEqual(['Roof', 90]);
    const again = await client.rotateFloorplan(projectId, plan.id, { angle: 180 });
    expect(again['rotation']).toBe(270);
    world.floorplans.list(projectId).remove(plan.id);
    const restored = await client.restoreFloorplan(projectId, plan.id);
    expect(restored).toMatchObject({ id: plan.id, deleted_at: null });
    expect(restored.updated_at).not.toBe(again.updated_at);
  });
});

describe('Service-Version', () => {
  it.each([
    ['2021-03-29', true, true],
    ['2021-03-30', false, true],
    ['2021-04-14', false, true],
    ['2021-04-15', false, false],
    [undefined, false, false],
  ])('%s: embedded sheets %s, nested items %s', async (version, sheets, items) => {
    const { projectId, makeClient } = await startTestSimulator();
    const client = makeClient(version);
    const [plan = {}] = await client.listFloorplans(projectId);
    const [checklist = {}] = await client.listTemplateChecklists(projectId);
    expect('current_sheet' in plan).toBe(sheets);
    expect('template_check_items' in checklist).toBe(items);
  });

  it('does not matter for with_current_sheet=true', async () => {
    const { projectId, world, makeClient } = await startTestSimulator();
    const plan = world.floorplans.create(projectId, { name: 'Plan' });
    const client = makeClient();
    const read = () => client.getFloorplan(projectId, plan.id, '?with_current_sheet=true');
    expect((await read())['current_sheet']).toBeNull();
    const { current_sheet } = world.floorplans.uploadSheet(projectId, plan.id);
    expect((await read())['current_sheet']).toEqual(current_sheet);
  });
});

it('an invalid request is refused with its status', async () => {
  const { api, projectId, world } = await startTestSimulator();
  const plan = world.floorplans.create(projectId, { name: 'Plan' });
  const plans = `/projects/${projectId}/floorplans`;
  const version = { headers: { 'Service-Version': '2021-02-30' } };
  const perPage = { headers: { 'Service-Per-Page': '0' } };
  const unnamed = { method: 'POST', body: { name: '' } };
  world.floorplans.list(projectId).remove(plan.id);
  for (const [status, path, call] of [
    [422, '/projects', version],
    [422, '/projects', perPage],
    [422, '/projects?last_synced_at=yesterday', {}],
    [422, `${plans}?with_current_sheet=maybe`, {}],
    [404, '/accounts', {}],
    [404, `/projects/${nobody}`, {}],
    [404, `/projects/${nobody}/floorplans`, {}],
    [404, `${plans}/${nobody}`, {}],
    [404, `/projects/${projectId}`, { method: 'DELETE' }],
    [200, `${plans}/${plan.id}`, {}],
    [409, `${plans}/${plan.id}`, { method: 'PATCH', body: { name: 'x' } }],
    [422, '/projects', unnamed],
    [422, `${plans}/${plan.id}/rotate`, { method: 'PUT', body: { angle: 45 } }],
  ] as const) {
    const answer = await api(path, call);
    expect([path, answer.status]).toEqual([path, status]);
    if (status >= 400) expect(answer.json).toEqual({ error: text, message: text });
  }
});

it('an access token is needed, and expires', async () => {
  const { api, clock, simulator } = await startTestSimulator();
  const projects = `${simulator.baseUrl}/api/v3/projects`;
  expect((await sendRequest(projects)).status).toBe(401);
  const headers = { authorization: 'Bearer another' };
  expect((await sendRequest(projects, { headers })).status).toBe(401);
  expect((await api('/projects')).status).toBe(200);
  clock.time += 900_000;
  expect((await api('/projects')).status).toBe(401);
});

it('a refresh token is exchanged until it is replaced', async () => {
  const { simulator } = await startTestSimulator();
  const statusOf = async (body: unknown): Promise<number> =>
    (await sendRequest(`${simulator.authUrl}/api_keys/jwt`, { method: 'POST', body })).status;
  const before = { api_token: simulator.refreshToken };
  expect(await statusOf(before)).toBe(200);
  simulator.tokens.rotateRefreshToken();
  expect(await statusOf(before)).toBe(401);
  expect(await statusOf({ api_token: simulator.refreshToken })).toBe(200);
  expect(await statusOf({})).toBe(422);
});

it('headers may have other names', async () => {
  const headers = { version: 'Brand-Version', perPage: 'Brand-Per-Page' };
  const { api, projectId } = await startTestSimulator({ behaviour: { headers } });
  const branded = { headers: { 'Brand-Version': '2021-01-01', 'Brand-Per-Page': '1' } };
  const { json } = await api(`/projects/${projectId}/template_checklists`, branded);
  expect(json).toMatchObject([{ template_check_items: [{ name: text }, {}, {}, {}] }]);
});
