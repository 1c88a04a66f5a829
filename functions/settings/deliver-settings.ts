import * as z from 'zod/mini';
import { fields, matching, oneOf, text, trueOrFalse, whole } from './field-types.ts';
import { readEnvironment, type Environment } from './read-environment.ts';

/** The webhook that a function serves. */
const webhook = fields({
  name: text('name of a webhook'),
  url: matching(/^https?:\/\/\S+$/, 'an https URL'),
  /** A large event is sent whole up to this size. */
  maxEventBytes: whole(0, 100_000_000, 'bytes'),
  /** Whether the URL's host may have a private address. */
  allowPrivateAddress: trueOrFalse(),
  /** Which metrics are written. */
  monitoring: z._default(oneOf('off', 'basic', 'full'), 'full'),
});

/** What a function knows of its webhook. */
export type WebhookSettings = z.infer<typeof webhook>;

const QUEUE_URL = matching(/^https?:\/\/\S+$/, 'URL of an SQS queue');

/** The webhooks of a stack, as its control function knows them. */
export const deployedWebhooks = z.array(
  fields({
    name: text('name of a webhook'),
    url: text('an https URL'),
    queueUrl: QUEUE_URL,
    deadLettersUrl: QUEUE_URL,
    functionName: text('name of a function'),
  }),
  { error: 'a list of webhooks' },
);

export type DeployedWebhookSettings = z.infer<typeof deployedWebhooks>[number];

const environment = z.object({
  SITECAST_WEBHOOK: webhook,
  SITECAST_WEBHOOK_QUEUE_URL: QUEUE_URL,
  SITECAST_WEBHOOK_DEAD_LETTERS_URL: QUEUE_URL,
  SITECAST_WEBHOOK_SECRET_ARN: text('ARN of a secret'),
  SITECAST_TABLE: matching(/^[\w.-]{3,255}$/, 'name of a DynamoDB table'),
  SITECAST_LARGE_EVENTS_BUCKET: matching(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'name of an S3 bucket',
  ),
  /** On the local stack only: no template has it. */
  SITECAST_ALLOW_LOOPBACK: z.optional(oneOf('true')),
});

/** Settings of the function that delivers a webhook, and the resources that deployment created. */
export interface DeliverSettings extends WebhookSettings {
  readonly queueUrl: string;
  readonly deadLettersUrl: string;
  readonly secretArn: string;
  readonly table: string;
  /** Name of the bucket with the events that were too large for the topic. */
  readonly largeEventsBucket: string;
  /** Whether a private address may be one of this machine. */
  readonly allowLoopback: boolean;
}

/**
 * Reads the settings from the environment. An empty variable counts as missing.
 *
 * @throws SettingsInvalidError listing every variable and field that is missing or malformed.
 */
export function parseDeliverSettings(env: Environment): DeliverSettings {
  const { SITECAST_WEBHOOK: webhook, ...resources } = readEnvironment(
    environment,
    env,
    "webhook's function",
  );
  return {
    ...webhook,
    queueUrl: resources.SITECAST_WEBHOOK_QUEUE_URL,
    deadLettersUrl: resources.SITECAST_WEBHOOK_DEAD_LETTERS_URL,
    secretArn: resources.SITECAST_WEBHOOK_SECRET_ARN,
    table: resources.SITECAST_TABLE,
    largeEventsBucket: resources.SITECAST_LARGE_EVENTS_BUCKET,
    allowLoopback: resources.SITECAST_ALLOW_LOOPBACK === 'true',
  };
}
