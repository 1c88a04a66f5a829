import { Hono } from 'hono';
import { z } from 'zod';
import { HIGHEST_RATE, type Activity } from '../activity.ts';
import type { ApiContext } from '../api/api-context.ts';
import { ApiError, readBody, readJson, validateInput } from '../api/api-error.ts';
import type { Tokens } from '../api/tokens.ts';
import { behaviourSchema, faultSchema } from '../behaviour.ts';
import { CHANGE_NAMES, CHANGES, type SiteChanges } from '../changes.ts';
import { bulkSchema, makeMany } from './bulk.ts';

/** Parts of the service that the admin endpoints use. */
export interface AdminContext extends ApiContext {
  readonly activity: Activity;
  readonly changes: SiteChanges;
  /** Whether there is a list of tasks in each project. */
  readonly additional: boolean;
  readonly tokens: Tokens;
}

const activityChange = z.strictObject({
  running: z.boolean(),
  /** Changes per second; absent: as before. */
  rate: z.number().positive().max(HIGHEST_RATE).exactOptional(),
});

/**
 * Makes the admin endpoints, which change the service in ways that its spec has no operation for.
 * They need no token. Listed in `docs/simulated-service.md`.
 */
export function adminRoutes(options: AdminContext): Hono {
  const routes = new Hono();
  const { world, behaviour, activity, changes, tokens } = options;

  routes.get('/', (context) => context.json(status(options)));
  routes.get('/behaviour', (context) => context.json(behaviour));
  routes.patch('/behaviour', async (context) => {
    const changes = await readJson(context);
    if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) {
      throw new ApiError(422, 'invalid', 'the body must be an object');
    }
    Object.assign(behaviour, validateInput(behaviourSchema, { ...behaviour, ...changes }));
    return context.json(behaviour);
  });
  routes.post('/faults', async (context) => {
    behaviour.faults.push(await readBody(context, faultSchema));
    return context.json(behaviour.faults, 201);
  });
  routes.delete('/faults', (context) => {
    behaviour.faults = [];
    return context.json(behaviour.faults);
  });
  routes.post('/activity', async (context) => {
    const { running, rate } = await readBody(context, activityChange);
    if (running) activity.start(rate);
    else activity.stop();
    return context.json(status(options).activity);
  });
  routes.post('/tokens/expire', (context) => {
    tokens.expireAccessTokens();
    return context.json({});
  });
  routes.post('/tokens/rotate', (context) =>
    context.json({ refresh_token: tokens.rotateRefreshToken() }),
  );
  routes.post('/tokens/revoke', (context) => {
    tokens.revokeRefreshToken();
    return context.json({});
  });
  routes.post('/bulk', async (context) => {
    const made = makeMany(world, await readBody(context, bulkSchema));
    return context.json({ updated_at: made[0]?.updated_at, ids: made.map(({ id }) => id) }, 201);
  });
  const possible = CHANGE_NAMES.filter((name) => options.additional || !name.endsWith(' task'));
  routes.get('/changes', (context) =>
    context.json(possible.map((change) => ({ change, type: CHANGES[change].type }))),
  );
  routes.post('/changes', async (context) => {
    const { change, ...wish } = await readBody(context, changeBody);
    const subject = changes.make(change, wish);
    if (subject !== undefined) return context.json({ change, subject }, 201);
    throw new ApiError(409, 'nothing_to_change', `there is no entity to ${change}`);
  });
  return routes;
}

/** Body of `POST /admin/changes`: absent fields are left to chance. */
const changeBody = z.strictObject({
  change: z.enum(CHANGE_NAMES),
  /** The entity to change; to create one below another, that of the other. */
  id: z.string().exactOptional(),
  name: z.string().trim().min(1).max(255).exactOptional(),
});

/** Status of the service, without tokens. */
function status({ world, behaviour, activity }: AdminContext) {
  const projects = world.projects.list;
  return {
    now: new Date(world.now()).toISOString(),
    activity: { running: activity.running, rate: activity.rate },
    projects: { all: projects.size, alive: projects.alive },
    behaviour,
  };
}
