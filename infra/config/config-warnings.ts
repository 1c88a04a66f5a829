import { RegionInfo } from 'aws-cdk-lib/region-info';
import { nameOf } from '../../functions/settings/describe-problems.ts';
import { isLoopback } from '../../functions/settings/service-url.ts';
import { RESERVE_SECONDS, type StageConfig } from './config.ts';
import { filterWarnings } from './filter-policy.ts';

/** Something valid that cannot work as it is. */
export interface ConfigWarning {
  /** The kind of warning, to acknowledge it in CDK: `filter`. */
  readonly id:
    | 'address'
    | 'account'
    | 'region'
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

/** Hosts that belong to nobody (RFC 2606). */
const PLACEHOLDER_HOST = /(^|\.)(example|invalid|test|example\.(com|net|org))$/;
/** Accounts of examples: those of AWS's documentation, and the same digit twelve times. */
const PLACEHOLDER_ACCOUNT = /\b(123456789012|111122223333|444455556666|(\d)\2{11})\b/;
/** Seconds at the end of a run without sweeps, and as many until the next one: what a run always needs. */
const USUAL_GAP_SECONDS = 20;
/** Requests a minute of a shard that read lists beside the exchange of the access token and the check of a refused one. */
const LEAST_BUDGET = 5;

/**
 * Finds fields of a valid config that cannot work: the deployment would succeed and be silent.
 *
 * @param today `YYYY-MM-DD`.
 */
export function configWarnings(config: StageConfig, today: string): ConfigWarning[] {
  return [
    ...addressWarnings(config),
    ...webhookWarnings(config),
    ...accountWarnings(config),
    ...regionWarnings(config),
    ...versionWarnings(config, today),
    ...sweepWarnings(config),
    ...budgetWarnings(config),
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

function addressWarnings({
  baseUrl,
  authUrl,
  proxyUrl = '',
  subscribers,
}: StageConfig): ConfigWarning[] {
  const endpoints = subscribers.map(
    ({ protocol, endpoint }, index) =>
      [['subscribers', index, 'endpoint'], isUrl(protocol) ? endpoint : ''] as const,
  );
  const addresses = [
    [['baseUrl'], baseUrl] as const,
    [['authUrl'], authUrl] as const,
    [['proxyUrl'], proxyUrl] as const,
  ];
  return [...addresses, ...endpoints].flatMap(([path, address]) => {
    const host = URL.parse(address)?.hostname ?? '';
    if (PLACEHOLDER_HOST.test(host)) {
      return [warning('address', path, address, 'is a placeholder: set the real address')];
    }
    if (!isLoopback(host)) return [];
    return [warning('address', path, address, 'is this machine, which AWS cannot reach')];
  });
}

function isUrl(protocol: string): boolean {
  return protocol === 'https' || protocol === 'webhook';
}

/** Webhooks whose network cannot bring them to their endpoint. */
function webhookWarnings({ subscribers, vpc, proxyUrl }: StageConfig): ConfigWarning[] {
  return subscribers.flatMap(({ protocol, endpoint, allowPrivateAddress = false }, index) => {
    if (protocol !== 'webhook') return [];
    const path = ['subscribers', index];
    const isHere = isLoopback(URL.parse(endpoint)?.hostname ?? '');
    return [
      ...(allowPrivateAddress && vpc === undefined && !isHere
        ? [
            warning(
              'address',
              [...path, 'allowPrivateAddress'],
              true,
              'reaches no private address without vpc: set vpc, or leave it out',
            ),
          ]
        : []),
      ...(proxyUrl === undefined
        ? []
        : [
            warning(
              'address',
              [...path, 'endpoint'],
              endpoint,
              'is reached directly, not through proxyUrl: its network needs another way out',
            ),
          ]),
    ];
  });
}

function accountWarnings(config: StageConfig): ConfigWarning[] {
  return idsOf(config).flatMap(([path, text]) =>
    PLACEHOLDER_ACCOUNT.test(text)
      ? [warning('account', path, text, 'has the account of an example: set the real one')]
      : [],
  );
}

function regionWarnings({ region, subscribers }: StageConfig): ConfigWarning[] {
  const known = new Set(RegionInfo.regions.map(({ name }) => name));
  const message = 'names a region that this version of CDK does not know: check it';
  const ofArns = subscribers.map(
    ({ endpoint }, index) =>
      [['subscribers', index, 'endpoint'], endpoint, regionOf(endpoint)] as const,
  );
  return [[['region'], region, region] as const, ...ofArns].flatMap(([path, value, name]) =>
    name === undefined || known.has(name) ? [] : [warning('region', path, value, message)],
  );
}

function versionWarnings({ serviceVersion }: StageConfig, today: string): ConfigWarning[] {
  if (serviceVersion === undefined || serviceVersion <= today) return [];
  const message = 'is in the future: leave it out for the latest version';
  return [warning('version', ['serviceVersion'], serviceVersion, message)];
}

function sweepWarnings(config: StageConfig): ConfigWarning[] {
  const { pollEverySeconds, timeoutSeconds, everyMinutes } = config;
  if (pollEverySeconds === undefined) return [];
  const sweepSeconds = timeoutSeconds - RESERVE_SECONDS;
  const gapSeconds = everyMinutes * 60 - sweepSeconds;
  if (gapSeconds <= Math.max(pollEverySeconds, USUAL_GAP_SECONDS)) return [];
  const message =
    `leaves a gap: a run sweeps for ${sweepSeconds} seconds, then nothing is polled for ${gapSeconds}; ` +
    'raise timeoutSeconds or lower everyMinutes';
  return [warning('sweeps', ['pollEverySeconds'], pollEverySeconds, message)];
}

function budgetWarnings({ requestsPerMinute, shards }: StageConfig): ConfigWarning[] {
  const ofShard = Math.floor(requestsPerMinute / shards);
  if (ofShard >= LEAST_BUDGET) return [];
  const message =
    `leaves a shard ${ofShard} requests a minute: where each run needs a new access token, that may take them all, ` +
    `and lists are never read; allow ${LEAST_BUDGET * shards}`;
  return [warning('budget', ['requestsPerMinute'], requestsPerMinute, message)];
}

function alarmWarnings({ monitoring, alarmEmail, alarmTopicArn }: StageConfig): ConfigWarning[] {
  if (monitoring === 'off' || alarmEmail !== undefined || alarmTopicArn !== undefined) return [];
  const message =
    'tells nobody of its alarms: set alarmEmail or alarmTopicArn, or subscribe to the alarm topic';
  return [warning('alarms', ['monitoring'], monitoring, message)];
}

/** Resources that leave no list of a project, or that are named twice. */
function listWarnings({ resources, additionalResources }: StageConfig): ConfigWarning[] {
  if (resources === undefined) return [];
  if (resources.length === 0 && additionalResources.length === 0) {
    const message = 'leaves only the list of projects: leave it out for all lists';
    return [warning('lists', ['resources'], resources, message)];
  }
  return new Set(resources).size === resources.length
    ? []
    : [warning('lists', ['resources'], resources, 'names a resource twice: once is enough')];
}

/** SNS decrypts before it delivers, but whoever reads a large event from the bucket decrypts it on their own. */
function keyWarnings(config: StageConfig): ConfigWarning[] {
  const { kmsKeyArn, organisationId, subscriberAccountIds, subscribers } = config;
  if (kmsKeyArn === undefined) return [];
  const account = config.account ?? accountOf(kmsKeyArn);
  const outside = [
    ...(organisationId === undefined ? [] : [organisationId]),
    ...subscriberAccountIds,
    ...subscribers.flatMap(({ name, protocol, endpoint }) =>
      // The function of a webhook reads them for it.
      protocol !== 'webhook' && (protocol === 'https' || accountOf(endpoint) !== account)
        ? [name]
        : [],
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

const ARN_FIELDS = [
  'permissionsBoundaryArn',
  'kmsKeyArn',
  'existingTableArn',
  'existingSecretArn',
] as const;

/** Fields that hold an account id: alone or in an ARN. */
function idsOf(
  config: StageConfig,
): (readonly [path: readonly (string | number)[], text: string])[] {
  return [
    [['account'], config.account ?? ''],
    ...ARN_FIELDS.map((name) => [[name], config[name] ?? ''] as const),
    ...config.subscriberAccountIds.map((id, i) => [['subscriberAccountIds', i], id] as const),
    ...config.subscribers.flatMap(({ endpoint, subscriptionRoleArn = '', secretArn = '' }, i) => [
      [['subscribers', i, 'secretArn'], secretArn] as const,
      [['subscribers', i, 'endpoint'], endpoint.startsWith('arn:') ? endpoint : ''] as const,
      [['subscribers', i, 'subscriptionRoleArn'], subscriptionRoleArn] as const,
    ]),
  ];
}

function regionOf(endpoint: string): string | undefined {
  return endpoint.startsWith('arn:') ? endpoint.split(':')[3] : undefined;
}

function warning(
  id: ConfigWarning['id'],
  path: readonly (string | number)[],
  value: unknown,
  message: string,
): ConfigWarning {
  return { id, message: `${nameOf(path)} ${JSON.stringify(value)} ${message}.` };
}
