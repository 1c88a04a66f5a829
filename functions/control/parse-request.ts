import * as z from 'zod/mini';
import { isAfter, parseTimestamp, toTimestamp } from '../core/model/timestamp.ts';
import { describeProblems } from '../settings/describe-problems.ts';
import { fields, matching, oneOf, trueOrFalse, whole } from '../settings/field-types.ts';
import { RequestInvalidError } from './control-error.ts';
import type { ControlRequest } from './protocol.ts';
import { webhookRequests } from './webhooks/webhook-requests.ts';

const scope = fields({
  list: z.optional(z.string({ error: 'path of a list: "projects/<project_id>/floorplans"' })),
  projectId: z.optional(z.string({ error: 'id of a project' })),
  resource: z.optional(z.string({ error: 'name of a resource: "floorplans"' })),
});

const after = z.optional(z.string({ error: 'path of a list' }));
const jobId = z.optional(z.string({ error: 'id of the answer before' }));
const dryRun = z.optional(trueOrFalse());
const TIME = 'a time in UTC, ISO 8601: "2026-03-02T08:00:00Z"';
const time = z
  .string({ error: TIME })
  .check(z.refine((text) => parseTimestamp(text) !== undefined, { error: TIME }));

const ID = 'an id of an item, or at least its first 4 digits';
const id = matching(/^[0-9a-f]{4,32}$/, ID);
const ids = z.optional(z.array(id, { error: 'ids of items' }).check(z.minLength(1)));
const ITEMS = { ids, all: z.optional(trueOrFalse()), scope: z.optional(scope), dryRun };

/** Either `ids` or `all`; a scope only with `all`. */
const someItems = z.refine<{ ids?: unknown; all?: boolean | undefined; scope?: unknown }>(
  (request) =>
    (request.ids !== undefined) !== (request.all === true) &&
    (request.all === true || request.scope === undefined),
  { error: 'either ids, or all (then also a scope)', path: ['ids'] },
);

const COMMANDS = {
  status: fields({
    command: z.literal('status'),
    scope: z.optional(scope),
    state: z.optional(oneOf('live', 'baseline', 'waiting', 'paused', 'parked', 'not polled')),
    sort: z.optional(oneOf('failures', 'lag', 'last-change', 'name')),
    limit: z.optional(whole(0, 1e9, 'lists')),
    after,
  }),
  pause: fields({ command: z.literal('pause'), scope, dryRun, after }),
  resume: fields({ command: z.literal('resume'), scope, dryRun, after }),
  retry: fields({ command: z.literal('retry'), scope, dryRun, after }),
  cancel: fields({ command: z.literal('cancel'), scope, dryRun, after }),
  reconcile: fields({
    ...{ command: z.literal('reconcile'), scope, dryRun, after },
    force: z.optional(z.literal(true, { error: 'true' })),
    id: jobId,
  }),
  rewind: fields({ command: z.literal('rewind'), scope, to: time, dryRun, after }),
  replay: fields({
    ...{ command: z.literal('replay'), scope, dryRun, after },
    since: time,
    id: jobId,
  }),
  'quarantine-list': fields({
    command: z.literal('quarantine-list'),
    scope: z.optional(scope),
  }),
  'quarantine-show': fields({ command: z.literal('quarantine-show'), id }),
  'quarantine-retry': z
    .strictObject({ command: z.literal('quarantine-retry'), ...ITEMS })
    .check(someItems),
  'quarantine-drop': z
    .strictObject({ command: z.literal('quarantine-drop'), ...ITEMS })
    .check(someItems),
  ...webhookRequests(time),
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
  if (request.command === 'webhook-resend' && request.since !== undefined) {
    return { ...request, since: pastTime(request.since, now) };
  }
  if (request.command === 'rewind') return { ...request, to: pastTime(request.to, now) };
  if (request.command === 'replay') return { ...request, since: pastTime(request.since, now) };
  return request;
}

/** The time in its canonical form. @throws RequestInvalidError when it lies ahead. */
function pastTime(text: string, now: number): string {
  const canonical = parseTimestamp(text) ?? text;
  if (!isAfter(canonical, toTimestamp(now))) return canonical;
  throw new RequestInvalidError(`The time "${text}" lies in the future.`, {
    hint: `Name a time before ${toTimestamp(now)}.`,
  });
}
