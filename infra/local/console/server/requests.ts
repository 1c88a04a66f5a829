import * as z from 'zod';
import {
  FAULT_NAMES,
  type ActivityRequest,
  type ChangeRequest,
  type FaultRequest,
} from '../protocol.ts';

// Its length is checked where it is used, with an answer in plain words.
const name = z.string().trim();
const id = z.string().min(1);
const address = {
  entity: z.enum(['project', 'floorplan', 'checklist', 'item']),
  id,
  projectId: id.exactOptional(),
  checklistId: id.exactOptional(),
};

/** Body of `POST /api/change`. */
export const changeRequest: z.ZodType<ChangeRequest> = z.discriminatedUnion('action', [
  z.discriminatedUnion('entity', [
    z.strictObject({ action: z.literal('create'), entity: z.literal('project'), name }),
    z.strictObject({
      action: z.literal('create'),
      entity: z.enum(['floorplan', 'checklist']),
      projectId: id,
      name,
    }),
  ]),
  z.strictObject({ action: z.literal('rename'), ...address, name }),
  z.strictObject({ action: z.enum(['delete', 'restore', 'rotate']), ...address }),
]);

/** Body of `POST /api/activity`. */
export const activityRequest: z.ZodType<ActivityRequest> = z.strictObject({
  isRunning: z.boolean(),
  rate: z.number().positive().max(100),
});

/** Body of `POST /api/fault`. */
export const faultRequest: z.ZodType<FaultRequest> = z.strictObject({
  fault: z.enum(FAULT_NAMES).exactOptional(),
  isEnd: z.boolean().exactOptional(),
});
