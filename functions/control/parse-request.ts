import * as z from 'zod/mini';
import { isAfter, parseTimestamp, toTimestamp } from '../core/model/timestamp.ts';
import { describeProblems } from '../settings/describe-problems.ts';
import { RequestInvalidError } from './control-error.ts';
import type { ControlRequest } from './protocol.ts';

const scope = z.strictObject({
  list: z.optional(z.string({ error: 'path of a list: "projects/<project_id>/floorplans"' })),
  projectId: z.optional(z.string({ error: 'id of a project' })),
  resource: z.optional(z.string({ error: 'name of a resource: "floorplans"' })),
});

const dryRun = z.optional(z.boolean({ error: 'true or false' }));
const TIME = 'a time in UTC, ISO 8601: "2026-03-02T08:00:00Z"';
const time = z
  .string({ error: TIME })
  .check(z.refine((text) => parseTimestamp(text) !== undefined, { error: TIME }));

const COMMANDS = {
  status: z.strictObject({ command: z.literal('status'), scope: z.optional(scope) }),
  pause: z.strictObject({ command: z.literal('pause'), scope, dryRun }),
  resume: z.strictObject({ command: z.literal('resume'), scope, dryRun }),
  retry: z.strictObject({ command: z.literal('retry'), scope, dryRun }),
  reconcile: z.strictObject({
    ...{ command: z.literal('reconcile'), scope, dryRun },
    force: z.optional(z.boolean({ error: 'true or false' })),
  }),
  rewind: z.strictObject({ command: z.literal('rewind'), scope, to: time, dryRun }),
};

/**
 * Checks a request.
 *
 * @param now milliseconds since 1970.
 * @throws RequestInvalidError naming the field, its value and what is allowed.
 */
export function parseRequest(input: unknown, now: number): ControlRequest {
  const name = (input as { command?: unknown } | null | undefined)?.command;
  const isKnown = typeof name === 'string' && Object.hasOwn(COMMANDS, name);
  if (!isKnown) {
    throw new RequestInvalidError(`The command ${JSON.stringify(name)} is unknown.`, {
      hint: `Ask for one of ${Object.keys(COMMANDS).join(', ')}.`,
    });
  }
  const result = COMMANDS[name as keyof typeof COMMANDS].safeParse(input);
  if (!result.success) {
    const problems = describeProblems(result.error, input);
    throw new RequestInvalidError(`The request "${name}" is invalid:\n${problems}`, {
      hint: 'Correct the request.',
    });
  }
  const request = result.data as ControlRequest;
  return request.command === 'rewind' ? { ...request, to: pastTime(request.to, now) } : request;
}

/** The time in its canonical form. @throws RequestInvalidError when it lies ahead. */
function pastTime(text: string, now: number): string {
  const canonical = parseTimestamp(text) ?? text;
  if (!isAfter(canonical, toTimestamp(now))) return canonical;
  throw new RequestInvalidError(`The time "${text}" lies in the future.`, {
    hint: `Name a time before ${toTimestamp(now)}.`,
  });
}
