import { Hono } from 'hono';
import { readBody } from '../api/api-error.ts';
import { nameBody, newFloorplan, projectChanges } from '../api/bodies.ts';
import { API_USER_ID, type World } from '../world/world.ts';

const PROJECT = '/:projectId';
const FLOORPLAN = `${PROJECT}/floorplans/:floorplanId` as const;
const CHECKLIST = `${PROJECT}/template_checklists/:checklistId` as const;
const ITEM = `${CHECKLIST}/template_check_items/:itemId` as const;

/** Changes that the spec has no operation for. Each returns the full new entity. */
export function entityRoutes(world: World): Hono {
  const routes = new Hono();
  const { projects, floorplans, checklists } = world;
  routes.patch(PROJECT, async (context) =>
    context.json(
      projects.update(context.req.param('projectId'), await readBody(context, projectChanges)),
    ),
  );
  routes.delete(PROJECT, (context) =>
    context.json(projects.remove(context.req.param('projectId'))),
  );
  routes.post(`${PROJECT}/destroy`, (context) => {
    projects.destroy(context.req.param('projectId'));
    return context.json({});
  });
  routes.put(`${PROJECT}/restore`, (context) =>
    context.json(projects.restore(context.req.param('projectId'))),
  );

  routes.post(`${PROJECT}/floorplans`, async (context) =>
    context.json(
      floorplans.create(context.req.param('projectId'), await readBody(context, newFloorplan)),
      201,
    ),
  );
  routes.delete(FLOORPLAN, (context) => {
    const { projectId, floorplanId } = context.req.param();
    return context.json(floorplans.remove(projectId, floorplanId));
  });
  routes.post(`${FLOORPLAN}/destroy`, (context) => {
    const { projectId, floorplanId } = context.req.param();
    floorplans.destroy(projectId, floorplanId);
    return context.json({});
  });
  routes.post(`${FLOORPLAN}/sheets`, (context) => {
    const { projectId, floorplanId } = context.req.param();
    return context.json(floorplans.uploadSheet(projectId, floorplanId), 201);
  });

  routes.delete(CHECKLIST, (context) => {
    const { projectId, checklistId } = context.req.param();
    return context.json(checklists.remove(projectId, checklistId));
  });
  routes.post(`${CHECKLIST}/destroy`, (context) => {
    const { projectId, checklistId } = context.req.param();
    checklists.destroy(projectId, checklistId);
    return context.json({});
  });
  routes.put(`${CHECKLIST}/restore`, (context) => {
    const { projectId, checklistId } = context.req.param();
    return context.json(checklists.restore(projectId, checklistId));
  });

  routes.post(`${CHECKLIST}/template_check_items`, async (context) => {
    const { projectId, checklistId } = context.req.param();
    const fields = await readBody(context, nameBody);
    return context.json(checklists.addItem(projectId, checklistId, fields, API_USER_ID), 201);
  });
  routes.patch(ITEM, async (context) => {
    const fields = await readBody(context, nameBody);
    return context.json(checklists.updateItem(context.req.param(), fields, API_USER_ID));
  });
  routes.delete(ITEM, (context) =>
    context.json(checklists.removeItem(context.req.param(), API_USER_ID)),
  );
  routes.put(`${ITEM}/restore`, (context) =>
    context.json(checklists.restoreItem(context.req.param(), API_USER_ID)),
  );
  return routes;
}
