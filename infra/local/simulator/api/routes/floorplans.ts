import { Hono } from 'hono';
import { assertReadable, findVisible, type ApiContext } from '../api-context.ts';
import { readBody } from '../api-error.ts';
import { floorplanChanges, rotationBody } from '../bodies.ts';
import { answerPage } from '../paging.ts';
import { floorplanShape, readWithCurrentSheet } from '../versions.ts';

const LIST = '/:projectId/floorplans';
const ONE = '/:projectId/floorplans/:floorplanId';

/** `/projects/<project_id>/floorplans` of the spec's "Operations". */
export function floorplanRoutes(api: ApiContext): Hono {
  const routes = new Hono();
  const { world, behaviour } = api;
  const { floorplans } = world;

  routes.get(LIST, (context) => {
    const projectId = context.req.param('projectId');
    assertReadable(api, projectId);
    const shape = floorplanShape(context, behaviour, readWithCurrentSheet(context));
    const paging = { behaviour, now: world.now() };
    return answerPage(context, floorplans.list(projectId), shape, paging);
  });
  routes.get(ONE, (context) => {
    const { projectId, floorplanId } = context.req.param();
    assertReadable(api, projectId);
    const shape = floorplanShape(context, behaviour, readWithCurrentSheet(context));
    return context.json(shape(findVisible(floorplans.list(projectId), 'floorplan', floorplanId)));
  });
  routes.patch(ONE, async (context) => {
    const { projectId, floorplanId } = context.req.param();
    const shape = floorplanShape(context, behaviour);
    const changes = await readBody(context, floorplanChanges);
    return context.json(shape(floorplans.update(projectId, floorplanId, changes)));
  });
  routes.put(`${ONE}/restore`, (context) => {
    const { projectId, floorplanId } = context.req.param();
    const shape = floorplanShape(context, behaviour);
    return context.json(shape(floorplans.restore(projectId, floorplanId)));
  });
  routes.put(`${ONE}/rotate`, async (context) => {
    const { projectId, floorplanId } = context.req.param();
    const shape = floorplanShape(context, behaviour);
    const { angle } = await readBody(context, rotationBody);
    return context.json(shape(floorplans.rotate(projectId, floorplanId, angle)));
  });
  return routes;
}
