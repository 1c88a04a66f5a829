import * as z from 'zod';
import {
  filterPolicyProblems,
  type FilterPolicyProblem,
} from '../../../config/filters/filter-policy-problems.ts';
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

/** A filter policy, or what is wrong with it. */
export type ParsedPolicy =
  | { readonly policy: Readonly<Record<string, unknown>> }
  | { readonly problem: string };

/** Reads the text of an SNS filter policy on message attributes. */
export function parsePolicy(text: string): ParsedPolicy {
  let policy: unknown;
  try {
    policy = JSON.parse(text);
  } catch (error) {
    return { problem: `The filter policy is not JSON: ${(error as Error).message}` };
  }
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) {
    return { problem: 'The filter policy is no object; allowed: {"entity": ["floorplan"]}' };
  }
  const problems = filterPolicyProblems(policy as Record<string, unknown>, 'MessageAttributes');
  if (problems.length === 0) return { policy: policy as Record<string, unknown> };
  return { problem: problems.map((problem) => describe(problem, policy)).join('\n') };
}

function describe({ path, allowed }: FilterPolicyProblem, policy: object): string {
  const value = path.reduce<unknown>(
    (at, key) => (at as Record<string | number, unknown>)[key],
    policy,
  );
  const field = path.length === 0 ? 'The filter policy' : path.join('.');
  return `${field} is ${(JSON.stringify(value) ?? 'absent').slice(0, 200)}; allowed: ${allowed}`;
}
