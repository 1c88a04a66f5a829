import { Hono } from 'hono';
import { newProject } from '../bodies.ts';
import { seen, type ApiContext } from '../context.ts';
import { answerPage } from '../paging.ts';
import { readBody } from '../problem.ts';

/** `/projects` of the spec's "Operations". */
export function projectRoutes({ world, switches }: ApiContext): Hono {
  const routes = new Hono();
  const { projects } = world;

  routes.get('/', (context) =>
    answerPage(context, projects.list, (project) => project, { switches, now: world.now() }),
  );
  routes.post('/', async (context) =>
    context.json(projects.create(await readBody(context, newProject)), 201),
  );
  routes.get('/:projectId', (context) =>
    context.json(seen(projects.list, 'project', context.req.param('projectId'))),
  );
  return routes;
}
