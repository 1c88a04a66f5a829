import { Hono } from 'hono';
import { findVisible, type ApiContext } from '../api-context.ts';
import { readBody } from '../api-error.ts';
import { newProject } from '../bodies.ts';
import { answerPage } from '../paging.ts';

/** `/projects` of the spec's "Operations". */
export function projectRoutes({ world, behaviour }: ApiContext): Hono {
  const routes = new Hono();
  const { projects } = world;

  routes.get('/', (context) =>
    answerPage(context, projects.list, (project) => project, { behaviour, now: world.now() }),
  );
  routes.post('/', async (context) =>
    context.json(projects.create(await readBody(context, newProject)), 201),
  );
  routes.get('/:projectId', (context) =>
    context.json(findVisible(projects.list, 'project', context.req.param('projectId'))),
  );
  return routes;
}
