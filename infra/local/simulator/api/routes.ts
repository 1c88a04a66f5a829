import { Hono, type Context } from 'hono';
import * as z from 'zod';
import type { Behaviour } from '../behaviour.ts';
import type { Floorplan, Project, TemplateChecklist } from '../world/entities.ts';
import type { EntityList, Row } from '../world/entity-list.ts';
import type { World } from '../world/world.ts';
import { answerPage } from './paging.ts';
import { readBody } from './requests.ts';
import { checklistShape, floorplanShape } from './shapes.ts';
import { BUILT_IN_LISTS } from '#built-in-lists';

export interface ApiContext {
  readonly world: World;
  readonly behaviour: Behaviour;
}

// The spec does not define bodies. Unknown and read-only fields are ignored.
const name = z.string().min(1);
const text = z.string().exactOptional();
const projectBody = z.object({ name, code: text, color: text });
const floorplanBody = z.object({ name: name.exactOptional(), description: text });
/** Degrees, clockwise; absent: 90. */
const rotationBody = z.object({ angle: z.literal([90, 180, 270]).exactOptional() });
const newChecklistBody = z.object({ name });
const checklistBody = z.object({ name: name.exactOptional() });

/** One list: where it is, its entities, and how the request's version shows one. */
interface ShownList<T extends Row> {
  readonly path: string;
  readonly listOf: (projectId: string) => EntityList<T>;
  readonly shapeOf: (context: Context) => (row: T) => object;
}

/** `/projects` and all below it, of the spec's "Operations". */
export function apiRoutes(api: ApiContext): Hono {
  const routes = new Hono();
  addProjectRoutes(routes, api);
  addFloorplanRoutes(routes, api);
  addChecklistRoutes(routes, api);
  // A list of the catalogue that the world does not know is empty.
  for (const { path } of BUILT_IN_LISTS) {
    routes.get(path.replace('{project_id}', ':projectId'), (context) =>
      answerPage(context, [], (row) => row, api.behaviour),
    );
  }
  return routes;
}

const below = (resource: string): string => `/projects/:projectId/${resource}`;

function addProjectRoutes(routes: Hono, api: ApiContext): void {
  const { projects } = api.world;
  const list: ShownList<Project> = {
    path: '/projects',
    listOf: () => projects,
    shapeOf: () => (project) => project,
  };
  addReads(routes, api, list);
  addChange(routes, list, 'POST', '', projectBody, (_, fields) => projects.create(fields));
}

function addFloorplanRoutes(routes: Hono, api: ApiContext): void {
  const { floorplans } = api.world;
  const list: ShownList<Floorplan> = {
    path: below('floorplans'),
    listOf: (projectId) => floorplans.list(projectId),
    shapeOf: (context) => floorplanShape(context, api.behaviour),
  };
  addReads(routes, api, list);
  addChange(routes, list, 'PATCH', '/:id', floorplanBody, ({ projectId, id }, fields) =>
    floorplans.list(projectId).update(id, fields),
  );
  addChange(routes, list, 'PUT', '/:id/restore', z.unknown(), ({ projectId, id }) =>
    floorplans.list(projectId).restore(id),
  );
  addChange(routes, list, 'PUT', '/:id/rotate', rotationBody, ({ projectId, id }, { angle }) =>
    floorplans.rotate(projectId, id, angle),
  );
}

function addChecklistRoutes(routes: Hono, api: ApiContext): void {
  const { checklists } = api.world;
  const list: ShownList<TemplateChecklist> = {
    path: below('template_checklists'),
    listOf: (projectId) => checklists.list(projectId),
    shapeOf: (context) => checklistShape(context, api.behaviour),
  };
  addReads(routes, api, list);
  // The same entities under another name, to try an additional list of the config.
  addReads(routes, api, { ...list, path: below('forms') });
  addChange(routes, list, 'POST', '', newChecklistBody, ({ projectId }, fields) =>
    checklists.create(projectId, fields),
  );
  addChange(routes, list, 'PATCH', '/:id', checklistBody, ({ projectId, id }, fields) =>
    checklists.list(projectId).update(id, fields),
  );
}

/** Adds the reads of a list, and of one of its entities, deleted or not. */
function addReads<T extends Row>(
  routes: Hono,
  { behaviour }: ApiContext,
  { path, listOf, shapeOf }: ShownList<T>,
): void {
  const listFor = (context: Context): EntityList<T> => listOf(context.req.param('projectId') ?? '');
  routes.get(path, (context) =>
    answerPage(context, listFor(context).all(), shapeOf(context), behaviour),
  );
  routes.get(`${path}/:id`, (context) => {
    const row = listFor(context).get(context.req.param('id'));
    return context.json(shapeOf(context)(row));
  });
}

/** Adds an operation that changes an entity of a list and returns it. */
function addChange<T extends Row, B>(
  routes: Hono,
  { path, shapeOf }: ShownList<T>,
  method: 'PATCH' | 'POST' | 'PUT',
  operation: string,
  body: z.ZodType<B>,
  apply: (ids: { readonly projectId: string; readonly id: string }, body: B) => T,
): void {
  routes.on(method, `${path}${operation}`, async (context) => {
    const shape = shapeOf(context);
    const { projectId = '', id = '' }: Record<string, string> = context.req.param();
    const row = apply({ projectId, id }, await readBody(context, body));
    return context.json(shape(row), method === 'POST' ? 201 : 200);
  });
}
