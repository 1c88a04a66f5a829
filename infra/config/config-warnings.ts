import { nameOf } from '../../functions/settings/describe-problems.ts';
import { isLoopback } from '../../functions/settings/service-url.ts';
import { RESERVE_SECONDS } from './cross-checks.ts';
import { filterWarnings } from './filter-policy.ts';
import type { StageConfig } from './stage-fields.ts';

/** Something valid that cannot work as it is. */
export interface ConfigWarning {
  /** The kind of warning, to acknowledge it in CDK: `filter`. */
  readonly id:
    | 'address'
    | 'account'
    | 'version'
    | 'sweeps'
    | 'budget'
    | 'key'
    | 'alarms'
    | 'lists'
    | 'filter';
  /** The field, its value and what is wrong. */
  readonly message: string;
}

type Path = readonly (string | number)[];

/** Hosts that belong to nobody (RFC 2606). */
const PLACEHOLDER_HOST = /(^|\.)(example|invalid|test|example\.(com|net|org))$/;
/** Accounts of examples: those of AWS's documentation, and the same digit twelve times. */
const PLACEHOLDER_ACCOUNT =
  /^(?:arn:.*:)?(123456789012|111122223333|444455556666|(\d)\2{11})(?::|$)/;
/** Seconds between the sweeps of two runs that no setting avoids. */
const USUAL_GAP_SECONDS = 20;
/** Requests a minute that let a shard read lists beside its exchanges of the access token. */
const LEAST_BUDGET = 5;

/**
 * Finds fields of a valid config that cannot work: the deployment would succeed and be silent.
 *
 * @param today `YYYY-MM-DD`.
 */
export function configWarnings(config: StageConfig, today: string): ConfigWarning[] {
  return [
    ...placeholderWarnings(config),
    ...networkWarnings(config),
    ...versionWarnings(config, today),
    ...runWarnings(config),
    ...listWarnings(config),
    ...alarmWarnings(config),
    ...keyWarnings(config),
    ...config.subscribers.flatMap((subscriber, index) =>
      filterWarnings(subscriber, config, ['subscribers', index]).map((message) => ({
        id: 'filter' as const,
        message,
      })),
    ),
  ];
}

/** Addresses and accounts that belong to nobody, wherever they are. */
function placeholderWarnings(config: StageConfig): ConfigWarning[] {
  return textsIn(config).flatMap(([path, text]) => {
    const host = URL.parse(text)?.hostname ?? '';
    if (PLACEHOLDER_HOST.test(host)) {
      return [warning('address', path, text, 'is a placeholder: set the real address')];
    }
    if (/^https?:/.test(text) && isLoopback(host)) {
      return [warning('address', path, text, 'is this machine, which AWS cannot reach')];
    }
    if (!PLACEHOLDER_ACCOUNT.test(text)) return [];
    return [warning('account', path, text, 'has the account of an example: set the real one')];
  });
}

/** All texts in a value that may be an address, an ARN or an account id, with where they are. */
function textsIn(value: unknown, path: Path = []): readonly (readonly [Path, string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    textsIn(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** Webhooks that have no way into the network of their endpoint. */
function networkWarnings({ subscribers, vpc }: StageConfig): ConfigWarning[] {
  if (vpc !== undefined) return [];
  return subscribers.flatMap(({ endpoint, allowPrivateAddress }, index) => {
    const isHere = isLoopback(URL.parse(endpoint)?.hostname ?? '');
    if (allowPrivateAddress !== true || isHere) return [];
    const path = ['subscribers', index, 'allowPrivateAddress'];
    const message = 'reaches no private address without vpc: set vpc, or leave it out';
    return [warning('address', path, true, message)];
  });
}

function versionWarnings({ serviceVersion }: StageConfig, today: string): ConfigWarning[] {
  if (serviceVersion === undefined || serviceVersion <= today) return [];
  const message = 'is in the future: leave it out for the latest version';
  return [warning('version', ['serviceVersion'], serviceVersion, message)];
}

/** Runs that leave lists unread for long, or for ever. */
function runWarnings(config: StageConfig): ConfigWarning[] {
  const { pollEverySeconds, timeoutSeconds, everyMinutes, requestsPerMinute, shards } = config;
  const sweepSeconds = timeoutSeconds - RESERVE_SECONDS;
  const gapSeconds = everyMinutes * 60 - sweepSeconds;
  const gap =
    `leaves a gap: a run sweeps for ${sweepSeconds} seconds, then nothing is polled for ` +
    `${gapSeconds}; raise timeoutSeconds or lower everyMinutes`;
  const ofShard = Math.floor(requestsPerMinute / shards);
  const budget =
    `leaves a shard ${ofShard} requests a minute: where each run needs a new access token, that ` +
    `may take them all, and lists are never read; allow ${LEAST_BUDGET * shards}`;
  return [
    ...(pollEverySeconds !== undefined && gapSeconds > Math.max(pollEverySeconds, USUAL_GAP_SECONDS)
      ? [warning('sweeps', ['pollEverySeconds'], pollEverySeconds, gap)]
      : []),
    ...(ofShard < LEAST_BUDGET
      ? [warning('budget', ['requestsPerMinute'], requestsPerMinute, budget)]
      : []),
  ];
}

function alarmWarnings({ monitoring, alarmEmail, alarmTopicArn }: StageConfig): ConfigWarning[] {
  if (monitoring === 'off' || alarmEmail !== undefined || alarmTopicArn !== undefined) return [];
  const message =
    'tells nobody of its alarms: set alarmEmail or alarmTopicArn, or subscribe to the alarm topic';
  return [warning('alarms', ['monitoring'], monitoring, message)];
}

function listWarnings({ resources, additionalResources }: StageConfig): ConfigWarning[] {
  if (resources?.length !== 0 || additionalResources.length > 0) return [];
  const message = 'leaves only the list of projects: leave it out for all lists';
  return [warning('lists', ['resources'], resources, message)];
}

/** SNS decrypts before it delivers; a reader of a large event in the bucket decrypts it alone. */
function keyWarnings(config: StageConfig): ConfigWarning[] {
  const { kmsKeyArn, organisationId, subscriberAccountIds, subscribers } = config;
  if (kmsKeyArn === undefined) return [];
  const account = config.account ?? accountOf(kmsKeyArn);
  const outside = [
    ...(organisationId === undefined ? [] : [organisationId]),
    ...subscriberAccountIds,
    // The function of a webhook reads for it.
    ...subscribers.flatMap(({ name, protocol, endpoint }) =>
      protocol !== 'webhook' && accountOf(endpoint) !== account ? [name] : [],
    ),
  ];
  if (outside.length === 0) return [];
  const message =
    `cannot serve large events outside the account unless its policy lets these readers decrypt ` +
    `(kms:Decrypt): ${outside.join(', ')}`;
  return [warning('key', ['kmsKeyArn'], kmsKeyArn, message)];
}

function accountOf(arn: string): string | undefined {
  return arn.split(':')[4];
}

function warning(
  id: ConfigWarning['id'],
  path: Path,
  value: unknown,
  message: string,
): ConfigWarning {
  return { id, message: `${nameOf(path)} ${JSON.stringify(value)} ${message}.` };
}
