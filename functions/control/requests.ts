import * as z from 'zod/mini';
import { SitecastError } from '../core/model/errors.ts';
import { parseTimestamp } from '../core/model/timestamp.ts';
import { describeProblems } from '../settings/describe-problems.ts';
import { fields, matching, oneOf, trueOrFalse, whole } from '../settings/field-types.ts';

const optional = z.exactOptional;

/** Lists: one, those of a project, those of a resource, or all. */
const scope = fields({
  list: optional(z.string({ error: 'path of a list: "projects/<project_id>/floorplans"' })),
  projectId: optional(z.string({ error: 'id of a project' })),
  resource: optional(z.string({ error: 'name of a resource: "floorplans"' })),
});

const TIME = 'a time in UTC, ISO 8601: "2026-03-02T08:00:00Z"';
/** Parsed to the form of cursors. */
const time = z.pipe(
  z
    .string({ error: TIME })
    .check(z.refine((text) => parseTimestamp(text) !== undefined, { error: TIME })),
  z.transform((text: string) => parseTimestamp(text) ?? text),
);

/**
 * Where a list stands. `waiting`: its last polls failed · `parked`: its project is deleted ·
 * `not-polled`: it is not configured or not selected.
 */
const state = oneOf('live', 'baseline', 'waiting', 'paused', 'parked', 'not-polled');

const dryRun = optional(trueOrFalse());
/** The `next` of the answer before: there are more lists to change. */
const after = optional(z.string({ error: 'path of a list' }));
const change = { scope, dryRun, after };
/** The id in the answer before: a job of many lists has one id. */
const jobId = optional(z.string({ error: 'id of the answer before' }));

const itemId = matching(/^[0-9a-f]{4,32}$/, 'an id of an item, or at least its first 4 digits');
const items = {
  ids: optional(z.readonly(z.array(itemId, { error: 'ids of items' }).check(z.minLength(1)))),
  all: optional(trueOrFalse()),
  scope: optional(scope),
  dryRun,
};

/** Either `ids` or `all`; a scope only with `all`. */
const someItems = z.refine<{ ids?: unknown; all?: boolean; scope?: unknown }>(
  ({ ids, all = false, scope }) => (ids !== undefined) !== all && (all || scope === undefined),
  { error: 'either ids, or all (then also a scope)', path: ['ids'] },
);

const webhook = { name: z.string({ error: 'name of a webhook' }) };

function request<const C extends string, T extends z.core.$ZodLooseShape>(command: C, shape: T) {
  return fields({ command: z.literal(command), ...shape });
}

/**
 * Requests by their commands. With `dryRun` nothing changes: the answer names the lists concerned.
 */
const REQUESTS = {
  status: request('status', {
    scope: optional(scope),
    state: optional(state),
    /** Default: as many as fit an answer; 0 for none. */
    limit: optional(whole(0, 1e9, 'lists')),
  }),
  pause: request('pause', change),
  resume: request('resume', change),
  /** Ends the wait of lists. */
  retry: request('retry', change),
  /** Ends the jobs of lists. */
  cancel: request('cancel', change),
  /** Lists are read again from this time on. */
  rewind: request('rewind', { ...change, to: time }),
  /** The last event of each entity that had one since is published again. */
  replay: request('replay', { ...change, since: time, id: jobId }),
  /** `force`: also where more of a list is missing than config allows. */
  reconcile: request('reconcile', {
    ...change,
    force: optional(z.literal(true, { error: 'true' })),
    id: jobId,
  }),
  'quarantine-list': request('quarantine-list', { scope: optional(scope) }),
  'quarantine-show': request('quarantine-show', { id: itemId }),
  'quarantine-retry': request('quarantine-retry', items).check(someItems),
  'quarantine-drop': request('quarantine-drop', items).check(someItems),
  'webhook-list': request('webhook-list', {}),
  /** An event without meaning takes the way of all others. */
  'webhook-test': request('webhook-test', webhook),
  'webhook-enable': request('webhook-enable', webhook),
  'webhook-disable': request('webhook-disable', webhook),
  'webhook-attempts': request('webhook-attempts', {
    ...webhook,
    /** Only those that failed. */
    failed: optional(trueOrFalse()),
    /** Default: 100. */
    limit: optional(whole(1, 1000, 'attempts')),
  }),
  /** Dead letters are delivered again: all, or those whose change is not older. */
  'webhook-resend': request('webhook-resend', { ...webhook, since: optional(time) }),
};

type RequestOf<Command extends keyof typeof REQUESTS> = z.output<(typeof REQUESTS)[Command]>;

export type Scope = z.output<typeof scope>;
export type ListState = z.output<typeof state>;
export type StatusRequest = RequestOf<'status'>;
/** Lists are changed at once. `replay` and `reconcile` give each a job. */
export type ChangeRequest = RequestOf<
  'pause' | 'resume' | 'retry' | 'cancel' | 'rewind' | 'replay' | 'reconcile'
>;
export type QuarantineRequest = RequestOf<Extract<keyof typeof REQUESTS, `quarantine-${string}`>>;
export type WebhookRequest = RequestOf<Extract<keyof typeof REQUESTS, `webhook-${string}`>>;
export type ControlRequest = RequestOf<keyof typeof REQUESTS>;

/** A request is refused. Nothing was changed. */
export class RequestRefusedError extends SitecastError {
  override readonly name = 'RequestRefusedError';
}

/**
 * Checks a request.
 *
 * @throws RequestRefusedError naming the field, its value and the allowed values.
 */
export function parseRequest(input: unknown): ControlRequest {
  const name = (input as { command?: unknown } | null | undefined)?.command;
  if (typeof name !== 'string' || !Object.hasOwn(REQUESTS, name)) {
    throw new RequestRefusedError(`The command ${JSON.stringify(name)} is unknown.`, {
      hint: `Ask for one of ${Object.keys(REQUESTS).join(', ')}.`,
    });
  }
  const result = REQUESTS[name as keyof typeof REQUESTS].safeParse(input);
  if (result.success) return result.data;
  throw new RequestRefusedError(
    `The request "${name}" is invalid:\n${describeProblems(result.error, input)}`,
    { hint: 'Correct the request.' },
  );
}
