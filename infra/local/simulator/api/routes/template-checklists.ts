import { Hono } from 'hono';
import { API_USER_ID } from '../../world/world.ts';
import { assertReadable, findVisible, type ApiContext } from '../api-context.ts';
import { readBody } from '../api-error.ts';
import { nameBody, nameChanges } from '../bodies.ts';
import { answerPage } from '../paging.ts';
import { checklistShape } from '../versions.ts';

const LIST = '/:projectId/template_checklists';
const ONE = '/:projectId/template_checklists/:checklistId';

/** `/projects/<project_id>/template_checklists` of the spec's "Operations". */
export function templateChecklistRoutes(api: ApiContext): Hono {
  const routes = new Hono();
  const { world, behaviour } = api;
  const { checklists } = world;

  routes.get(LIST, (context) => {
    const projectId = context.req.param('projectId');
    assertReadable(api, projectId);
    const shape = checklistShape(context, behaviour);
    const paging = { behaviour, now: world.now() };
    return answerPage(context, checklists.list(projectId), shape, paging);
  });
  routes.post(LIST, async (context) => {
    const shape = checklistShape(context, behaviour);
    const fields = await readBody(context, nameBody);
    const projectId = context.req.param('projectId');
    return context.json(shape(checklists.create(projectId, fields, API_USER_ID)), 201);
  });
  routes.get(ONE, (context) => {
    const { projectId, checklistId } = context.req.param();
    assertReadable(api, projectId);
    const shape = checklistShape(context, behaviour);
    return context.json(
      shape(findVisible(checklists.list(projectId), 'template checklist', checklistId)),
    );
  });
  routes.patch(ONE, async (context) => {
    const { projectId, checklistId } = context.req.param();
    const shape = checklistShape(context, behaviour);
    const fields = await readBody(context, nameChanges);
    return context.json(shape(checklists.update(projectId, checklistId, fields, API_USER_ID)));
  });
  return routes;
}
