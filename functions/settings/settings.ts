import * as z from 'zod/mini';
import { SettingsInvalidError } from '../core/model/errors.ts';
import type { Resource } from '../core/model/resource-catalog.ts';
import { additionalResources } from './additional-resources.ts';
import { matching, oneOf, serviceUrl, text, whole } from './schema.ts';

const environment = z.object({
  SITECAST_BASE_URL: serviceUrl(/\/api\/v3\/*$/, '/api/v3, which is added'),
  SITECAST_AUTH_URL: serviceUrl(
    /\/(api\/v3|api_keys\/jwt)\/*$/,
    '/api/v3, and without /api_keys/jwt, which is added',
  ),
  SITECAST_REFRESH_TOKEN_SECRET: z.string({ error: 'name or ARN of a secret' }),
  SITECAST_TABLE: matching(/^[\w.-]{3,255}$/, 'name of a DynamoDB table'),
  SITECAST_TOPIC_ARN: matching(
    /^arn:[\w-]+:sns:[\w-]*:\d*:[\w-]+(\.fifo)?$/,
    'ARN of an SNS topic',
  ),
  SITECAST_LARGE_EVENTS_BUCKET: matching(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'name of an S3 bucket',
  ),
  SITECAST_QUARANTINE_URL: matching(/^https?:\/\/\S+$/, 'URL of an SQS queue'),
  SITECAST_SERVICE_VERSION: z.optional(text('a date YYYY-MM-DD', isDate)),
  SITECAST_WITH_CURRENT_SHEET: z.optional(oneOf('true', 'false')),
  SITECAST_ADDITIONAL_RESOURCES: z.optional(additionalResources),
  SITECAST_PER_PAGE: whole(1, 1000, 'entities'),
  SITECAST_REQUESTS_PER_MINUTE: whole(1, 60_000, 'requests a minute'),
  SITECAST_EVERY_MINUTES: whole(1, 60, 'minutes'),
  SITECAST_MAX_WAIT_SECONDS: whole(60, 86_400, 'seconds'),
  SITECAST_POLL_EVERY_SECONDS: z.optional(whole(5, 3600, 'seconds')),
  SITECAST_LOOKBACK_SECONDS: whole(0, 3600, 'seconds'),
  SITECAST_BASELINE: oneOf('silent', 'emit'),
  SITECAST_CONCURRENCY: whole(1, 64, 'lists'),
  SITECAST_LEASE_SECONDS: whole(15, 90, 'seconds'),
});

/** What the poller is told by its environment. The construct in `infra` sets all of it. */
export interface Settings {
  /** `{base_url}` of the spec, without a slash at its end. */
  readonly baseUrl: string;
  /** `{auth_url}` of the spec, without a slash at its end. */
  readonly authUrl: string;
  /** Name or ARN of the secret that holds the refresh token. */
  readonly refreshTokenSecret: string;
  /** Name of the table. */
  readonly table: string;
  /** ARN of the topic; it ends in `.fifo` for a FIFO topic. */
  readonly topicArn: string;
  /** Name of the bucket for events that are too large for the topic. */
  readonly largeEventsBucket: string;
  /** URL of the quarantine queue. */
  readonly quarantineUrl: string;
  /** `Service-Version`, YYYY-MM-DD (spec, "Versioning"). Absent: the latest. */
  readonly serviceVersion?: string;
  /** Ask for floorplans with their current sheet (spec, changelog of 2021-03-30). */
  readonly withCurrentSheet: boolean;
  /** Lists that are polled besides the built-in ones. */
  readonly additionalResources: readonly Resource[];
  /** Entities per page, 1 to 1000 (spec, "Limits"). */
  readonly perPage: number;
  /** Requests a minute that all polling together may send. */
  readonly requestsPerMinute: number;
  /** Minutes between two runs. */
  readonly everyMinutes: number;
  /** Seconds that no list is to wait for longer, as far as the requests a minute allow that. */
  readonly maxWaitSeconds: number;
  /** Seconds between two sweeps over the lists within a run. Absent: one sweep a run. */
  readonly pollEverySeconds?: number;
  /** Seconds by which an entity may become visible later than its `updated_at` says. */
  readonly lookbackSeconds: number;
  /** What the first run does with what exists already: learn it, or emit it as created. */
  readonly baseline: 'silent' | 'emit';
  /** Lists that are polled at the same time. */
  readonly concurrency: number;
  /** Seconds that a run holds its shard unless it renews. */
  readonly leaseSeconds: number;
}

/**
 * Reads the settings from the environment. An empty variable counts as missing.
 *
 * @throws SettingsInvalidError listing every variable that is missing or malformed.
 */
export function parseSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given = readVariables(env);
  const result = environment.safeParse(given);
  if (!result.success) {
    const problems = result.error.issues.flatMap((issue) => describe(issue, given));
    throw new SettingsInvalidError(
      `The poller's environment is unusable:\n${problems.map((p) => `  ${p}`).join('\n')}`,
      { hint: 'Correct the notifier context in cdk.json and deploy again.' },
    );
  }
  const values = result.data;
  return {
    baseUrl: values.SITECAST_BASE_URL,
    authUrl: values.SITECAST_AUTH_URL,
    refreshTokenSecret: values.SITECAST_REFRESH_TOKEN_SECRET,
    table: values.SITECAST_TABLE,
    topicArn: values.SITECAST_TOPIC_ARN,
    largeEventsBucket: values.SITECAST_LARGE_EVENTS_BUCKET,
    quarantineUrl: values.SITECAST_QUARANTINE_URL,
    ...(values.SITECAST_SERVICE_VERSION !== undefined && {
      serviceVersion: values.SITECAST_SERVICE_VERSION,
    }),
    withCurrentSheet: values.SITECAST_WITH_CURRENT_SHEET === 'true',
    additionalResources: values.SITECAST_ADDITIONAL_RESOURCES ?? [],
    perPage: values.SITECAST_PER_PAGE,
    requestsPerMinute: values.SITECAST_REQUESTS_PER_MINUTE,
    everyMinutes: values.SITECAST_EVERY_MINUTES,
    maxWaitSeconds: values.SITECAST_MAX_WAIT_SECONDS,
    ...(values.SITECAST_POLL_EVERY_SECONDS !== undefined && {
      pollEverySeconds: values.SITECAST_POLL_EVERY_SECONDS,
    }),
    lookbackSeconds: values.SITECAST_LOOKBACK_SECONDS,
    baseline: values.SITECAST_BASELINE,
    concurrency: values.SITECAST_CONCURRENCY,
    leaseSeconds: values.SITECAST_LEASE_SECONDS,
  };
}

/** The variables by name, without empty ones; the JSON one parsed if it can be. */
function readVariables(env: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const name of Object.keys(environment.shape)) {
    const value = env[name];
    if (value === undefined || value === '') continue;
    given[name] = name === 'SITECAST_ADDITIONAL_RESOURCES' ? fromJson(value) : value;
  }
  return given;
}

function fromJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    // Text is no list, so the schema refuses it and the message shows it as it was given.
    return value;
  }
}

function describe(issue: z.core.$ZodIssue, given: unknown): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) => `${nameOf([...issue.path, key])} is not known; allowed: ${issue.message}`,
    );
  }
  const value = valueAt(given, issue.path);
  const is = value === undefined ? 'missing' : quote(value);
  return [`${nameOf(issue.path)} is ${is}; allowed: ${issue.message}`];
}

function nameOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    given,
  );
}

function quote(value: unknown): string {
  // All up to the last @ may be a user and a password, whatever else is wrong with the address.
  const shown = JSON.stringify(value).replace(/^(\W*(?:\w+:\/\/)?).*@/s, '$1…@');
  return shown.length <= 100 ? shown : `${shown.slice(0, 100)}…`;
}

/** A day that there is. */
function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString() === `${text}T00:00:00.000Z`;
}
