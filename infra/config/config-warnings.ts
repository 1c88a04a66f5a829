import { nameOf } from '../../functions/settings/describe-problems.ts';
import { isLoopback } from '../../functions/settings/service-url.ts';
import { filterWarnings } from './filter-policy.ts';
import type { StageConfig } from './stage-fields.ts';

/** Something valid that cannot work as it is. */
export interface ConfigWarning {
  /** The kind of warning, to acknowledge it in CDK: `filter`. */
  readonly id: 'address' | 'account' | 'budget' | 'alarms' | 'filter';
  /** The field, its value and what is wrong. */
  readonly message: string;
}

type Path = readonly (string | number)[];

/** Hosts that belong to nobody (RFC 2606). */
const PLACEHOLDER_HOST = /(^|\.)(example|invalid|test|example\.(com|net|org))$/;
/** Accounts of examples: those of AWS's documentation, and the same digit twelve times. */
const PLACEHOLDER_ACCOUNT =
  /^(?:arn:.*:)?(123456789012|111122223333|444455556666|(\d)\2{11})(?::|$)/;
/** Requests a minute that let a shard read lists beside its exchanges of the access token. */
const LEAST_BUDGET = 5;

/** Finds fields of a valid config that cannot work: the deployment would succeed and be silent. */
export function configWarnings(config: StageConfig): ConfigWarning[] {
  return [
    ...placeholderWarnings(config),
    ...networkWarnings(config),
    ...budgetWarnings(config),
    ...alarmWarnings(config),
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

/** A budget of which nothing may be left for lists. */
function budgetWarnings({ requestsPerMinute, shards }: StageConfig): ConfigWarning[] {
  if (requestsPerMinute >= LEAST_BUDGET * shards) return [];
  const message =
    'leaves nothing for lists where each run needs a new access token: allow ' +
    `${LEAST_BUDGET * shards}`;
  return [warning('budget', ['requestsPerMinute'], requestsPerMinute, message)];
}

function alarmWarnings({ monitoring, alarmEmail, alarmTopicArn }: StageConfig): ConfigWarning[] {
  if (monitoring === 'off' || alarmEmail !== undefined || alarmTopicArn !== undefined) return [];
  const message =
    'tells nobody of its alarms: set alarmEmail or alarmTopicArn, or subscribe to the alarm topic';
  return [warning('alarms', ['monitoring'], monitoring, message)];
}

function warning(
  id: ConfigWarning['id'],
  path: Path,
  value: unknown,
  message: string,
): ConfigWarning {
  return { id, message: `${nameOf(path)} ${JSON.stringify(value)} ${message}.` };
}
