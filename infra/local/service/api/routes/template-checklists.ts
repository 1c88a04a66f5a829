import { Hono } from 'hono';
import { API_USER_ID } from '../../world/world.ts';
import { nameChange, named } from '../bodies.ts';
import { checkReadable, seen, type ApiContext } from '../context.ts';
import { answerPage } from '../paging.ts';
import { readBody } from '../problem.ts';
import { checklistShape } from '../versions.ts';

const LIST = '/:projectId/template_checklists';
const ONE = '/:projectId/template_checklists/:checklistId';

/** `/projects/<project_id>/template_checklists` of the spec's "Operations". */
export function templateChecklistRoutes(api: ApiContext): Hono {
  const routes = new Hono();
  const { world, switches } = api;
  const { checklists } = world;

  routes.get(LIST, (context) => {
    const projectId = context.req.param('projectId');
    checkReadable(api, projectId);
    const shape = checklistShape(context, switches);
    const paging = { switches, now: world.now() };
    return answerPage(context, checklists.list(projectId), shape, paging);
  });
  routes.post(LIST, async (context) => {
    const shape = checklistShape(context, switches);
    const fields = await readBody(context, named);
    const projectId = context.req.param('projectId');
    return context.json(shape(checklists.create(projectId, fields, API_USER_ID)), 201);
  });
  routes.get(ONE, (context) => {
    const { projectId, checklistId } = context.req.param();
    checkReadable(api, projectId);
    const shape = checklistShape(context, switches);
    return context.json(shape(seen(checklists.list(projectId), 'template checklist', checklistId)));
  });
  routes.patch(ONE, async (context) => {
    const { projectId, checklistId } = context.req.param();
    const shape = checklistShape(context, switches);
    const fields = await readBody(context, nameChange);
    return context.json(shape(checklists.update(projectId, checklistId, fields, API_USER_ID)));
  });
  return routes;
}
