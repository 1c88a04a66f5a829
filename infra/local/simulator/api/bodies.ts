import { z } from 'zod';

// The spec does not define bodies. Unknown and read-only fields are ignored.
const name = z.string().trim().min(1).max(255);
const code = z.string().max(64).nullable().exactOptional();
const color = z
  .string()
  .regex(/^#[0-9A-Fa-f]{6}$/, 'must be a hex colour of the form #RRGGBB')
  .exactOptional();
const description = z.string().max(2000).nullable().exactOptional();

/** Body of `POST /projects`. */
export const newProject = z.object({ name, code, color });

/** Body of `PATCH …/floorplans/<floorplan_id>`. */
export const floorplanChanges = z.object({ name: name.exactOptional(), description });

/** Body of `PUT …/floorplans/<floorplan_id>/rotate`. */
export const rotationBody = z.object({
  /** Degrees, clockwise; absent: 90. */
  angle: z.literal([90, 180, 270]).exactOptional(),
});

/** Body of `POST …/template_checklists`. */
export const nameBody = z.object({ name });

/** Body of `PATCH …/template_checklists/<template_checklist_id>`. */
export const nameChanges = z.object({ name: name.exactOptional() });
