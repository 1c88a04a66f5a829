import * as z from 'zod/mini';
import { FatalError } from '../core/model/errors.ts';
import { describeProblems } from './describe-problems.ts';
import { fields, matching, oneOf, text, trueOrFalse } from './field-types.ts';
import { pollerConfig, type PollerConfig } from './poller-config.ts';

/**
 * The settings of the three functions, read from their environments. Deployment writes these in
 * `infra/construct`. An empty variable counts as missing.
 */

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that hold JSON. */
const JSON_VARIABLES = ['SITECAST_CONFIG', 'SITECAST_WEBHOOK', 'SITECAST_WEBHOOKS'];

const SITECAST_TABLE = text('name of a DynamoDB table');
const SITECAST_LARGE_EVENTS_BUCKET = text('name of an S3 bucket');
const QUEUE_URL = text('URL of an SQS queue');

const pollerEnvironment = z.object({
  SITECAST_CONFIG: pollerConfig,
  SITECAST_SHARD: z._default(matching(/^\d$|^1[0-5]$/, 'number of a shard, from 0'), '0'),
  SITECAST_REFRESH_TOKEN_SECRET: z.string({ error: 'name or ARN of a secret' }),
  SITECAST_TABLE,
  SITECAST_TOPIC_ARN: text('ARN of an SNS topic'),
  SITECAST_LARGE_EVENTS_BUCKET,
});

const controlEnvironment = z.object({
  SITECAST_CONFIG: pollerConfig,
  SITECAST_TABLE,
  SITECAST_WEBHOOKS: z._default(
    z.array(
      fields({
        name: text('name of a webhook'),
        url: text('an https URL'),
        queueUrl: QUEUE_URL,
        deadLettersUrl: QUEUE_URL,
        functionName: text('name of a function'),
      }),
      { error: 'a list of webhooks' },
    ),
    [],
  ),
});

const deliverEnvironment = z.object({
  SITECAST_WEBHOOK: fields({
    name: text('name of a webhook'),
    url: matching(/^https?:\/\/\S+$/, 'an https URL'),
    /** Whether the URL's host may have a private address. */
    allowPrivateAddress: trueOrFalse(),
    /** Which metrics are written. */
    monitoring: z._default(oneOf('off', 'basic', 'full'), 'full'),
  }),
  SITECAST_WEBHOOK_QUEUE_URL: QUEUE_URL,
  SITECAST_WEBHOOK_DEAD_LETTERS_URL: QUEUE_URL,
  SITECAST_WEBHOOK_SECRET_ARN: text('ARN of a secret'),
  SITECAST_TABLE,
  SITECAST_LARGE_EVENTS_BUCKET,
  /** On the local stack only: no template has it. */
  SITECAST_ALLOW_LOOPBACK: z.optional(oneOf('true')),
});

/** Settings of the poller: its config, and the resources that deployment created. */
export interface Settings extends PollerConfig {
  readonly maxWaitSeconds: number;
  /** From 0. */
  readonly shard: number;
  /** Name or ARN of the secret that holds the refresh token. */
  readonly refreshTokenSecret: string;
  readonly table: string;
  /** It ends in `.fifo` for a FIFO topic. */
  readonly topicArn: string;
  readonly largeEventsBucket: string;
}

/**
 * Reads the settings of the poller.
 *
 * @throws SettingsInvalidError listing every variable and field that is missing or malformed.
 */
export function parseSettings(env: Environment): Settings {
  const { SITECAST_CONFIG: config, ...resources } = read(pollerEnvironment, env, 'poller');
  return {
    ...config,
    maxWaitSeconds: config.maxWaitSeconds ?? Math.max(1800, 3 * 60 * config.everyMinutes),
    shard: Number(resources.SITECAST_SHARD),
    refreshTokenSecret: resources.SITECAST_REFRESH_TOKEN_SECRET,
    table: resources.SITECAST_TABLE,
    topicArn: resources.SITECAST_TOPIC_ARN,
    largeEventsBucket: resources.SITECAST_LARGE_EVENTS_BUCKET,
  };
}

/** Reads the settings of the control function: the poller's config, its table, the webhooks. */
export function parseControlSettings(env: Environment) {
  const { SITECAST_CONFIG, SITECAST_TABLE, SITECAST_WEBHOOKS } = read(
    controlEnvironment,
    env,
    'control function',
  );
  return { ...SITECAST_CONFIG, table: SITECAST_TABLE, webhooks: SITECAST_WEBHOOKS };
}

/** Settings of the function that delivers the events of one webhook. */
export type DeliverSettings = ReturnType<typeof parseDeliverSettings>;

/** Reads the settings of a webhook's function. */
export function parseDeliverSettings(env: Environment) {
  const resources = read(deliverEnvironment, env, "webhook's function");
  return {
    ...resources.SITECAST_WEBHOOK,
    queueUrl: resources.SITECAST_WEBHOOK_QUEUE_URL,
    deadLettersUrl: resources.SITECAST_WEBHOOK_DEAD_LETTERS_URL,
    secretArn: resources.SITECAST_WEBHOOK_SECRET_ARN,
    table: resources.SITECAST_TABLE,
    largeEventsBucket: resources.SITECAST_LARGE_EVENTS_BUCKET,
    /** Whether a private address may be one of this machine. */
    allowLoopback: resources.SITECAST_ALLOW_LOOPBACK === 'true',
  };
}

/** A setting is missing or malformed. */
export class SettingsInvalidError extends FatalError {
  override readonly name = 'SettingsInvalidError';
}

function read<Shape extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<Shape>,
  env: Environment,
  owner: string,
): z.infer<z.ZodMiniObject<Shape>> {
  const input = Object.fromEntries(
    Object.keys(schema.shape).map((name) => {
      const value = env[name] === '' ? undefined : env[name];
      return [name, JSON_VARIABLES.includes(name) ? parseJson(value) : value];
    }),
  );
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new SettingsInvalidError(
    `The ${owner}'s environment is invalid:\n${describeProblems(result.error, input)}`,
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
