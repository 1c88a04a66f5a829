import { describe, expect, it } from 'vitest';
import { pickRow, TestService } from '../support.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const uuid = expect.stringMatching(UUID) as string;
const time = expect.stringMatching(TIME) as string;
const text = expect.any(String) as string;
const number = expect.any(Number) as number;

describe('operations', () => {
  it('GET /projects lists projects with the fields of the spec', async () => {
    const { makeClient } = await TestService.start();
    const { entities: projects } = await makeClient().listProjects();
    expect(projects.length).toBeGreaterThan(5);
    for (const project of projects) {
      expect(project).toEqual({
        id: uuid,
        name: text,
        account_id: number,
        code: project.code === null ? null : text,
        color: expect.stringMatching(/^#[0-9A-F]{6}$/) as string,
        plan_name: text,
        created_at: time,
        updated_at: time,
        deleted_at: project.deleted_at === null ? null : time,
      });
    }
  });

  it('GET /projects/<project_id> returns the project as listed', async () => {
    const { makeClient } = await TestService.start();
    const client = makeClient();
    const { entities: projects } = await client.listProjects();
    for (const project of projects)
      expect(await client.getProject(String(project.id))).toEqual(project);
  });

  it('POST /projects creates a project', async () => {
    const { makeClient } = await TestService.start();
    const client = makeClient();
    const fields = { name: 'Tower', code: 'T-1', color: '#00FF00' };
    const project = await client.createProject(fields);
    expect(project).toMatchObject({ ...fields, id: uuid, deleted_at: null });
    expect(project.created_at).toBe('2024-05-01T10:00:00.000Z');
    expect(project.updated_at).toBe(project.created_at);
    expect((await client.listProjects()).entities.at(-1)).toEqual(project);
  });

  it('GET template_checklists lists checklists with the fields of the spec', async () => {
    const { projectId, makeClient } = await TestService.start();
    const { entities: checklists } = await makeClient().listTemplateChecklists(projectId);
    expect(checklists).toHaveLength(5);
    for (const checklist of checklists) {
      expect(checklist).toEqual({
        id: uuid,
        project_id: projectId,
        name: text,
        creator_user_id: number,
        last_editor_user_id: number,
        created_at: time,
        updated_at: time,
        deleted_at: checklist.deleted_at === null ? null : time,
        device_created_at: time,
        device_updated_at: time,
        resolved_conflict: false,
      });
    }
  });

  it('POST, GET and PATCH of a template checklist create, return and update it', async () => {
    const { projectId, clock, makeClient } = await TestService.start();
    const client = makeClient();
    const created = await client.createTemplateChecklist(projectId, { name: 'Handover' });
    const id = String(created.id);
    expect(await client.getTemplateChecklist(projectId, id)).toEqual(created);
    clock.advance(1000);
    const updated = await client.updateTemplateChecklist(projectId, id, { name: 'Done' });
    expect(updated).toEqual({
      ...created,
      name: 'Done',
      updated_at: '2024-05-01T10:00:01.000Z',
      device_updated_at: '2024-05-01T10:00:01.000Z',
    });
    expect(await client.getTemplateChecklist(projectId, id)).toEqual(updated);
    const { entities: listed } = await client.listTemplateChecklists(projectId);
    expect(listed.filter((each) => each.id === id)).toEqual([updated]);
  });

  it('GET, PATCH, restore and rotate of a floorplan return and change it', async () => {
    const { projectId, clock, makeClient, world } = await TestService.start();
    const client = makeClient();
    const { id } = pickRow(world.floorplans.list(projectId));
    const before = await client.getFloorplan(projectId, id);
    clock.advance(1000);
    const renamed = await client.updateFloorplan(projectId, id, { name: 'Roof' });
    expect(renamed).toEqual({ ...before, name: 'Roof', updated_at: '2024-05-01T10:00:01.000Z' });
    clock.advance(1000);
    const turned = await client.rotateFloorplan(projectId, id);
    expect(turned['rotation']).toBe((Number(before['rotation']) + 90) % 360);
    expect(turned.updated_at).toBe('2024-05-01T10:00:02.000Z');
    world.floorplans.remove(projectId, id);
    clock.advance(1000);
    const restored = await client.restoreFloorplan(projectId, id);
    expect(restored).toEqual({ ...turned, updated_at: '2024-05-01T10:00:03.000Z' });
    expect(await client.getFloorplan(projectId, id)).toEqual(restored);
    expect((await client.listFloorplans(projectId)).entities.at(-1)).toEqual(restored);
  });

  it('a floorplan is turned by the requested angle, and its sheet with it', async () => {
    const { projectId, makeClient, world } = await TestService.start();
    const { floorplans } = world;
    const { id } = floorplans.create(projectId, { name: 'A' });
    floorplans.uploadSheet(projectId, id);
    const client = makeClient('2021-03-29');
    for (const [angle, rotation] of [
      [270, 270],
      [180, 90],
      [90, 180],
    ]) {
      const turned = await client.rotateFloorplan(projectId, id, { angle });
      expect(turned).toMatchObject({ rotation, current_sheet: { rotation } });
      expect(turned).toMatchObject({ current_sheet: { updated_at: turned.updated_at } });
    }
  });

  it('a change that changes nothing leaves updated_at as it is', async () => {
    const { projectId, clock, makeClient, world } = await TestService.start();
    const client = makeClient();
    const floorplan = pickRow(world.floorplans.list(projectId));
    const checklist = pickRow(world.checklists.list(projectId));
    clock.advance(1000);
    const answers = [
      await client.updateFloorplan(projectId, floorplan.id, { name: floorplan.name }),
      await client.restoreFloorplan(projectId, floorplan.id),
    ];
    for (const { updated_at } of answers) expect(updated_at).toBe(floorplan.updated_at);
    const same = await client.updateTemplateChecklist(projectId, checklist.id, {});
    expect(same.updated_at).toBe(checklist.updated_at);
  });
});
