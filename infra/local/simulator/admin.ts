import { Hono } from 'hono';
import * as z from 'zod';
import { readBody } from './api/requests.ts';
import { CHANGE_NAMES, CHANGES, type ChangeName, type Wish } from './changes.ts';
import { ServiceError } from './service-error.ts';

/** Makes a change of the catalogue; see `makeChange`. */
export type ChangeMaker = (name: ChangeName, wish?: Wish) => string | undefined;

/** Body of `POST /admin/changes`: absent fields are left to chance. */
const changeBody = z.object({
  change: z.enum(CHANGE_NAMES),
  /** The entity to change; to create one below another, that of the other. */
  id: z.string().optional(),
  name: z.string().optional(),
});

/** Makes the admin endpoints, for changes that the spec has no operation for. Without a token. */
export function adminRoutes(make: ChangeMaker): Hono {
  const routes = new Hono();
  routes.get('/changes', (context) =>
    context.json(CHANGE_NAMES.map((name) => ({ change: name, type: CHANGES[name].type }))),
  );
  routes.post('/changes', async (context) => {
    const { change: name, ...wish } = await readBody(context, changeBody);
    const subject = make(name, wish);
    if (subject !== undefined) return context.json({ change: name, subject }, 201);
    throw new ServiceError(409, `there is no entity to ${name}`);
  });
  return routes;
}
