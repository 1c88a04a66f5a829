import * as z from 'zod/mini';
import { SettingsInvalidError } from '../core/model/errors.ts';
import { describeProblems } from './describe-problems.ts';
import { matching } from './field-types.ts';
import { pollerConfig, type PollerConfig } from './poller-config.ts';

const environment = z.object({
  SITECAST_CONFIG: pollerConfig,
  SITECAST_SHARD: z._default(matching(/^\d$|^1[0-5]$/, 'number of a shard, from 0'), '0'),
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
});

const controlEnvironment = z.pick(environment, {
  SITECAST_CONFIG: true,
  SITECAST_TABLE: true,
  SITECAST_LARGE_EVENTS_BUCKET: true,
  SITECAST_QUARANTINE_URL: true,
});

/** Settings of the control function: the poller's config, its table and its quarantine. */
export interface ControlSettings extends PollerConfig {
  readonly table: string;
  /** Name of the bucket with the copies of quarantined items. */
  readonly largeEventsBucket: string;
  readonly quarantineUrl: string;
}

/** Settings of the poller: its config, and the resources that deployment created. */
export interface Settings extends PollerConfig {
  readonly maxWaitSeconds: number;
  /** From 0. */
  readonly shard: number;
  /** Name or ARN of the secret that holds the refresh token. */
  readonly refreshTokenSecret: string;
  readonly table: string;
  /** ARN of the topic; it ends in `.fifo` for a FIFO topic. */
  readonly topicArn: string;
  /** Name of the bucket for events that are too large for the topic. */
  readonly largeEventsBucket: string;
  readonly quarantineUrl: string;
}

/**
 * Reads the settings from the environment, which `infra/constructs/poller.ts` writes. An empty variable
 * counts as missing.
 *
 * @throws SettingsInvalidError listing every variable and field that is missing or malformed.
 */
export function parseSettings(env: Environment): Settings {
  const { SITECAST_CONFIG: config, ...resources } = read(environment, env, 'poller');
  return {
    ...config,
    maxWaitSeconds: config.maxWaitSeconds ?? Math.max(1800, 3 * 60 * config.everyMinutes),
    shard: Number(resources.SITECAST_SHARD),
    refreshTokenSecret: resources.SITECAST_REFRESH_TOKEN_SECRET,
    table: resources.SITECAST_TABLE,
    topicArn: resources.SITECAST_TOPIC_ARN,
    largeEventsBucket: resources.SITECAST_LARGE_EVENTS_BUCKET,
    quarantineUrl: resources.SITECAST_QUARANTINE_URL,
  };
}

/**
 * Reads the settings of the control function from the environment, which `infra/constructs/control.ts` writes.
 *
 * @throws SettingsInvalidError as {@link parseSettings}.
 */
export function parseControlSettings(env: Environment): ControlSettings {
  const { SITECAST_CONFIG: config, ...resources } = read(
    controlEnvironment,
    env,
    'control function',
  );
  return {
    ...config,
    table: resources.SITECAST_TABLE,
    largeEventsBucket: resources.SITECAST_LARGE_EVENTS_BUCKET,
    quarantineUrl: resources.SITECAST_QUARANTINE_URL,
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

function read<Shape extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<Shape>,
  env: Environment,
  whose: string,
): z.infer<z.ZodMiniObject<Shape>> {
  const variables = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, env[name] === '' ? undefined : env[name]]),
  );
  const input = { ...variables, SITECAST_CONFIG: parseJson(variables['SITECAST_CONFIG']) };
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new SettingsInvalidError(
    `The ${whose}'s environment is invalid:\n${describeProblems(result.error, input)}`,
    { hint: 'Correct the notifier context in cdk.json and deploy again.' },
  );
}

/** Text that is no JSON stays as it is: the schema refuses it, and the message quotes it. */
function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
