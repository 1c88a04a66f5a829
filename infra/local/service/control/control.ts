import { Hono } from 'hono';
import { z } from 'zod';
import { HIGHEST_RATE, type Activity } from '../activity/activity.ts';
import type { ApiContext } from '../api/api-context.ts';
import { ApiError, readBody, readJson, validateInput } from '../api/api-error.ts';
import type { Tokens } from '../api/tokens.ts';
import { behaviourSchema, faultSchema } from '../behaviour.ts';
import { bulkSchema, makeMany } from './bulk.ts';
import { entityRoutes } from './entities.ts';
import { TRIGGER_TYPES, triggerSchema, TriggerSource } from './trigger.ts';

/** Parts of the service that the control endpoints use. */
export interface ControlContext extends ApiContext {
  readonly activity: Activity;
  readonly tokens: Tokens;
  readonly seed: number;
}

const activityChange = z.strictObject({
  running: z.boolean(),
  /** Changes per second; absent: as before. */
  rate: z.number().positive().max(HIGHEST_RATE).exactOptional(),
});

/**
 * Makes the control endpoints, which change the service in ways that its spec has no operation for.
 * They need no token. Listed in `docs/simulated-service.md`.
 */
export function controlRoutes(control: ControlContext): Hono {
  const routes = new Hono();
  const { world, behaviour, activity, tokens } = control;

  routes.get('/', (context) => context.json(status(control)));
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
    return context.json(status(control).activity);
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
  const triggers = new TriggerSource(world, control.seed);
  routes.get('/trigger', (context) => context.json({ types: TRIGGER_TYPES }));
  routes.post('/trigger', async (context) => {
    const { type } = await readBody(context, triggerSchema);
    return context.json({ type, subject: triggers.make(type) }, 201);
  });
  routes.route('/projects', entityRoutes(world));
  return routes;
}

/** Status of the service, without tokens. */
function status({ world, behaviour, activity }: ControlContext) {
  const projects = world.projects.list;
  return {
    now: new Date(world.now()).toISOString(),
    activity: { running: activity.running, rate: activity.rate },
    projects: { all: projects.size, alive: projects.alive },
    behaviour,
  };
}
