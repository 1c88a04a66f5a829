import { Hono } from 'hono';
import { assertReadable, type ApiContext } from '../api-context.ts';
import { answerPage } from '../paging.ts';

/** `/projects/<project_id>/tasks`: an additional list, not part of the spec. */
export function taskRoutes(api: ApiContext): Hono {
  const routes = new Hono();
  const { world, behaviour } = api;
  routes.get('/:projectId/tasks', (context) => {
    const projectId = context.req.param('projectId');
    assertReadable(api, projectId);
    const paging = { behaviour, now: world.now() };
    return answerPage(context, world.tasks.list(projectId), (task) => task, paging);
  });
  return routes;
}
