import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';

/** The config is unusable. The message lists every problem: field, value, and what is allowed. */
export class ConfigInvalid extends Error {
  override readonly name = 'ConfigInvalid';
}

// A schema's `error` is always the text that follows "allowed: " in the message.

function whole(min: number, max: number, unit: string) {
  const error = `a whole number of ${unit} from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

function matching(pattern: RegExp, error: string) {
  return z.string({ error }).regex(pattern, { error });
}

function oneOf<const T extends readonly [string, ...string[]]>(...values: T) {
  return z.enum(values, { error: values.map((value) => `"${value}"`).join(' or ') });
}

function fields<T extends z.core.$ZodLooseShape>(shape: T) {
  return z.strictObject(shape, { error: `the fields ${Object.keys(shape).join(', ')}` });
}

function list<T extends z.ZodType>(item: T, error: string) {
  return z.array(item, { error });
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Sitecast sends tokens to these addresses, so only TLS will do outside this machine. */
function isServiceUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.includes('?') || text.includes('#')) return false;
  if (url.username !== '' || url.password !== '') return false;
  if (/\/api\/v3\/*$/.test(url.pathname)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}

function serviceUrl() {
  const error =
    'an https URL (http for localhost only) without user, query, fragment and /api/v3, which is added';
  return z
    .string({ error })
    .refine(isServiceUrl, { error })
    .transform((url) => url.replace(/\/+$/, ''));
}

const TRUE_OR_FALSE = { error: 'true or false' };

const RETENTION_DAYS = Object.values(RetentionDays)
  .filter((days) => typeof days === 'number')
  .sort((a, b) => a - b);

/** Names and paths of the lists that are always polled (spec, "Operations"). */
const BUILT_IN = ['projects', 'template_checklists', 'floorplans'];

const furtherResource = fields({
  /** Unique name of the list, other than the built-in ones: `checklists`. */
  name: matching(
    /^[a-z][a-z0-9_]*$/,
    'a name of lower-case letters, digits and _ that starts with a letter',
  ).refine((name) => !BUILT_IN.includes(name), {
    error: `a name other than ${BUILT_IN.join(', ')}`,
  }),
  /** The word in the event type, in the singular: `checklist` in `checklist.updated`. */
  entity: matching(
    /^[a-z][a-z0-9_]*$/,
    'a word of lower-case letters, digits and _ that starts with a letter',
  ),
  /** Path of the list below `{base_url}/api/v3`: `/projects/{project_id}/checklists`. */
  path: matching(
    /^\/projects\/\{project_id\}(\/[A-Za-z0-9_-]+)+$/,
    'a path that starts with /projects/{project_id}/',
  ).refine((path) => !BUILT_IN.includes(path.slice('/projects/{project_id}/'.length)), {
    error: 'a path that is not polled already',
  }),
});

const furtherResources = list(
  furtherResource,
  'a list of objects with name, entity and path',
).superRefine((resources, context) => {
  for (const key of ['name', 'path'] as const) {
    const values = resources.map((resource) => resource[key]);
    values.forEach((value, index) => {
      if (values.indexOf(value) === index) return;
      const message = `a ${key} that no other entry has`;
      context.addIssue({ code: 'custom', path: [index, key], message });
    });
  }
});

const twoTimes = z.object({ timeoutSeconds: z.int(), everyMinutes: z.int() });

const stageSchema = fields({
  /** `{base_url}` of the spec: the service's address without `/api/v3`. */
  baseUrl: serviceUrl(),
  /** `{auth_url}` of the spec: where refresh tokens are exchanged, without `/api_keys/jwt`. */
  authUrl: serviceUrl(),
  /** AWS account to deploy to, 12 digits. Absent: that of the credentials in use. */
  account: matching(/^\d{12}$/, 'an AWS account id of 12 digits').optional(),
  /** AWS region to deploy to. Absent: that of the credentials in use. */
  region: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'an AWS region such as eu-central-1').optional(),
  /** Minutes between two runs. */
  everyMinutes: whole(1, 60, 'minutes').default(1),
  /** `Service-Version` to pin, YYYY-MM-DD (spec, "Versioning"). Absent: the latest. */
  serviceVersion: z.iso.date({ error: 'a date YYYY-MM-DD' }).optional(),
  /** Ask for floorplans with their current sheet, whose changes then raise events. */
  withCurrentSheet: z.boolean(TRUE_OR_FALSE).default(false),
  /** Entities per page, `Service-Per-Page` (spec, "Limits"). */
  perPage: whole(1, 1000, 'entities').default(1000),
  /** Requests a minute that all polling together may send to the service. */
  requestsPerMinute: whole(1, 60_000, 'requests a minute').default(500),
  /** Seconds that a walk starts before the cursor, to catch what was committed late. */
  overlapSeconds: whole(0, 3600, 'seconds').default(60),
  /** What the first run does with what exists already: learn it, or emit it as created. */
  firstRun: oneOf('silent', 'emit').default('silent'),
  /** Lists that are polled at the same time. */
  concurrency: whole(1, 64, 'lists').default(8),
  /** Seconds that a run holds its shard unless it renews; a killed run blocks no longer. */
  leaseSeconds: whole(15, 90, 'seconds').default(60),
  /** Further lists of the same shape, polled once per project. */
  furtherResources: furtherResources.default([]),
  /** Memory of the poller in MB; its share of a CPU grows with it. */
  memoryMb: whole(128, 10_240, 'MB').default(512),
  /**
   * Seconds after which a run is killed; it stops by itself before that. Shorter than the time
   * between two runs, or the next ones would pile up behind it and end in the failure queue.
   */
  timeoutSeconds: whole(30, 900, 'seconds').default(55),
  /** Days that logs are kept. 9999: for ever. */
  logRetentionDays: z
    .literal(RETENTION_DAYS, { error: `one of ${RETENTION_DAYS.join(', ')} (days)` })
    .default(RetentionDays.ONE_MONTH),
  /** The least important log entries that are written. */
  logLevel: oneOf('DEBUG', 'INFO', 'WARN', 'ERROR').default('INFO'),
  /** AWS organisation whose accounts may subscribe to the topic, besides the stack's own account. */
  organisationId: matching(
    /^o-[a-z0-9]{10,32}$/,
    'an AWS organisation id such as o-a1b2c3d4e5',
  ).optional(),
  /** Further AWS accounts that may subscribe to the topic, 12 digits each. */
  subscriberAccountIds: list(
    matching(/^\d{12}$/, 'an AWS account id of 12 digits'),
    'a list of AWS account ids',
  ).default([]),
  /** What happens to table, secret, quarantine and logs when the stack is deleted. */
  removalPolicy: oneOf('retain', 'destroy').default('retain'),
}).refine(({ timeoutSeconds, everyMinutes }) => timeoutSeconds < everyMinutes * 60, {
  path: ['timeoutSeconds'],
  error: 'less than the time between two runs (everyMinutes)',
  // Also when another field is wrong, so that all problems are told at once.
  when: ({ value }) => twoTimes.safeParse(value).success,
});

const configSchema = z
  .record(
    matching(
      /^[a-z][a-z0-9-]{0,19}$/,
      'a stage name of at most 20 lower-case letters, digits and -',
    ),
    stageSchema,
    { error: 'an object with one entry per stage' },
  )
  .refine((stages) => Object.keys(stages).length > 0, { error: 'at least one stage' });

/** What an operator may set for one stage, checked, with defaults filled in. */
export type StageConfig = Readonly<z.output<typeof stageSchema>>;

/**
 * Checks the `notifier` context of cdk.json: an object with one entry per stage.
 *
 * @returns the stages by name.
 * @throws ConfigInvalid listing every problem at once.
 */
export function parseConfig(notifier: unknown): Readonly<Record<string, StageConfig>> {
  const result = configSchema.safeParse(notifier);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => describe(issue, notifier));
  throw new ConfigInvalid(
    `The notifier context in cdk.json is unusable:\n${problems.map((p) => `  ${p}`).join('\n')}`,
  );
}

function describe(issue: z.core.$ZodIssue, config: unknown): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) => `${nameOf([...issue.path, key])} is not known; allowed: ${issue.message}`,
    );
  }
  if (issue.code === 'invalid_key') {
    const allowed = issue.issues.map(({ message }) => message).join(', ');
    return [`${nameOf(issue.path)} is not a stage name; allowed: ${allowed}`];
  }
  const value = valueAt(config, issue.path);
  const is = value === undefined ? 'missing' : show(value);
  return [`${nameOf(issue.path)} is ${is}; allowed: ${issue.message}`];
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : `${name}.${String(key)}`),
    'notifier',
  );
}

function valueAt(config: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    config,
  );
}

function show(value: unknown): string {
  const text = JSON.stringify(value).replace(/\/\/[^/@]*@/g, '//…@');
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
