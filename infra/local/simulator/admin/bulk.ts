import { z } from 'zod';
import type { Row } from '../world/collection.ts';
import { API_USER_ID, type World } from '../world/world.ts';

const count = z.int().min(1).max(100_000);

/** Body of `POST /admin/bulk`. */
export const bulkSchema = z.discriminatedUnion('resource', [
  z.strictObject({ resource: z.literal('projects'), count }),
  z.strictObject({
    resource: z.enum(['floorplans', 'template_checklists']),
    project_id: z.string(),
    count,
  }),
]);

/** Creates many entities with the same `updated_at`. */
export function makeMany(world: World, body: z.infer<typeof bulkSchema>): Row[] {
  return world.atOnce(() =>
    Array.from({ length: body.count }, (_, index) => makeOne(world, body, `Bulk ${index + 1}`)),
  );
}

function makeOne(world: World, body: z.infer<typeof bulkSchema>, name: string): Row {
  switch (body.resource) {
    case 'projects':
      return world.projects.create({ name });
    case 'floorplans':
      return world.floorplans.create(body.project_id, { name });
    case 'template_checklists':
      return world.checklists.create(body.project_id, { name }, API_USER_ID);
  }
}
