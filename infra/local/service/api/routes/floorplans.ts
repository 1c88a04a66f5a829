import { Hono } from 'hono';
import { floorplanChanges, turn } from '../bodies.ts';
import { checkReadable, seen, type ApiContext } from '../context.ts';
import { answerPage } from '../paging.ts';
import { readBody } from '../problem.ts';
import { floorplanShape, readWithCurrentSheet } from '../versions.ts';

const LIST = '/:projectId/floorplans';
const ONE = '/:projectId/floorplans/:floorplanId';

/** `/projects/<project_id>/floorplans` of the spec's "Operations". */
export function floorplanRoutes(api: ApiContext): Hono {
  const routes = new Hono();
  const { world, switches } = api;
  const { floorplans } = world;

  routes.get(LIST, (context) => {
    const projectId = context.req.param('projectId');
    checkReadable(api, projectId);
    const shape = floorplanShape(context, readWithCurrentSheet(context));
    const paging = { switches, now: world.now() };
    return answerPage(context, floorplans.list(projectId), shape, paging);
  });
  routes.get(ONE, (context) => {
    const { projectId, floorplanId } = context.req.param();
    checkReadable(api, projectId);
    const shape = floorplanShape(context, readWithCurrentSheet(context));
    return context.json(shape(seen(floorplans.list(projectId), 'floorplan', floorplanId)));
  });
  routes.patch(ONE, async (context) => {
    const { projectId, floorplanId } = context.req.param();
    const shape = floorplanShape(context);
    const changes = await readBody(context, floorplanChanges);
    return context.json(shape(floorplans.update(projectId, floorplanId, changes)));
  });
  routes.put(`${ONE}/restore`, (context) => {
    const { projectId, floorplanId } = context.req.param();
    const shape = floorplanShape(context);
    return context.json(shape(floorplans.restore(projectId, floorplanId)));
  });
  routes.put(`${ONE}/rotate`, async (context) => {
    const { projectId, floorplanId } = context.req.param();
    const shape = floorplanShape(context);
    const { angle } = await readBody(context, turn);
    return context.json(shape(floorplans.rotate(projectId, floorplanId, angle)));
  });
  return routes;
}
