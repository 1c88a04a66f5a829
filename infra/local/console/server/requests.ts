import * as z from 'zod';
import { CHANGE_NAMES } from '../../simulator/changes.ts';
import {
  FAULT_NAMES,
  type ActivityRequest,
  type ChangeRequest,
  type FaultRequest,
} from '../protocol.ts';

/** Body of `POST /api/change`. */
export const changeRequest: z.ZodType<ChangeRequest> = z.strictObject({
  change: z.enum(CHANGE_NAMES),
  id: z.string().min(1).exactOptional(),
  // Its length is checked where it is used, with an answer in plain words.
  name: z.string().trim().exactOptional(),
});

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
