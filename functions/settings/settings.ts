import * as z from 'zod/mini';
import { deployedWebhooks, type DeployedWebhookSettings } from './deliver-settings.ts';
import { matching } from './field-types.ts';
import { pollerConfig, type PollerConfig } from './poller-config.ts';
import { readEnvironment, type Environment } from './read-environment.ts';

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
});

const controlEnvironment = z.object({
  ...z.pick(environment, {
    SITECAST_CONFIG: true,
    SITECAST_TABLE: true,
  }).shape,
  SITECAST_WEBHOOKS: z._default(deployedWebhooks, []),
});

/** Settings of the control function: the poller's config, and its table. */
export interface ControlSettings extends PollerConfig {
  readonly table: string;
  readonly webhooks: readonly DeployedWebhookSettings[];
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
}

/**
 * Reads the settings from the environment, which `infra/constructs/poller.ts` writes. An empty variable
 * counts as missing.
 *
 * @throws SettingsInvalidError listing every variable and field that is missing or malformed.
 */
export function parseSettings(env: Environment): Settings {
  const { SITECAST_CONFIG: config, ...resources } = readEnvironment(environment, env, 'poller');
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

/**
 * Reads the settings of the control function from the environment, which `infra/constructs/control.ts` writes.
 *
 * @throws SettingsInvalidError as {@link parseSettings}.
 */
export function parseControlSettings(env: Environment): ControlSettings {
  const { SITECAST_CONFIG: config, ...resources } = readEnvironment(
    controlEnvironment,
    env,
    'control function',
  );
  return {
    ...config,
    table: resources.SITECAST_TABLE,
    webhooks: resources.SITECAST_WEBHOOKS,
  };
}
