import { Hono } from 'hono';
import { z } from 'zod';
import { HIGHEST_RATE, type Activity } from './activity.ts';
import type { Tokens } from './api/auth.ts';
import { readBody, validateInput } from './api/requests.ts';
import type { ApiContext } from './api/routes.ts';
import { behaviourSchema, faultSchema } from './behaviour.ts';
import { CHANGE_NAMES, CHANGES, type ChangeName, type Wish } from './changes.ts';
import { ServiceError } from './service-error.ts';

/** Parts of the service that the admin endpoints use. */
export interface AdminContext extends ApiContext {
  readonly activity: Activity;
  readonly tokens: Tokens;
  /** The changes of the catalogue; see `makeChange`. */
  readonly changes: { make(name: ChangeName, wish?: Wish): string | undefined };
}

const activityBody = z.strictObject({
  running: z.boolean(),
  /** Changes per second; absent: as before. */
  rate: z.number().positive().max(HIGHEST_RATE).exactOptional(),
});

/** Body of `POST /admin/changes`: absent fields are left to chance. */
const changeBody = z.strictObject({
  change: z.enum(CHANGE_NAMES),
  /** The entity to change; to create one below another, that of the other. */
  id: z.string().exactOptional(),
  name: z.string().trim().min(1).max(255).exactOptional(),
});

/**
 * Makes the admin endpoints, which change the service in ways that its spec has no operation for.
 * They need no token. Listed in `infra/local/simulator/README.md`.
 */
export function adminRoutes(options: AdminContext): Hono {
  const { behaviour, activity, changes, tokens, additional } = options;
  const routes = new Hono();
  const activityNow = () => ({ running: activity.running, rate: activity.rate });
  routes.get('/', (context) => context.json(activityNow()));
  routes.get('/behaviour', (context) => context.json(behaviour));
  routes.patch('/behaviour', async (context) => {
    const fields = await readBody(context, z.looseObject({}));
    Object.assign(behaviour, validateInput(behaviourSchema, { ...behaviour, ...fields }));
    return context.json(behaviour);
  });
  routes.post('/faults', async (context) => {
    behaviour.faults.push(await readBody(context, faultSchema));
    return context.json(behaviour.faults, 201);
  });
  routes.delete('/faults', (context) => context.json((behaviour.faults = [])));
  routes.post('/activity', async (context) => {
    const { running, rate } = await readBody(context, activityBody);
    if (running) activity.start(rate);
    else activity.stop();
    return context.json(activityNow());
  });
  routes.post('/tokens/expire', (context) => {
    tokens.expireAccessTokens();
    return context.json({});
  });
  routes.post('/tokens/rotate', (context) =>
    context.json({ refresh_token: tokens.rotateRefreshToken() }),
  );
  const possible = CHANGE_NAMES.filter((name) => additional || !name.endsWith(' task'));
  routes.get('/changes', (context) =>
    context.json(possible.map((name) => ({ change: name, type: CHANGES[name].type }))),
  );
  routes.post('/changes', async (context) => {
    const { change: name, ...wish } = await readBody(context, changeBody);
    const subject = changes.make(name, wish);
    if (subject !== undefined) return context.json({ change: name, subject }, 201);
    throw new ServiceError(409, `there is no entity to ${name}`);
  });
  return routes;
}
