import { nameOf } from '../../functions/settings/describe-problems.ts';
import { isLoopback } from '../../functions/settings/service-url.ts';
import { filterWarnings } from './filter-policy.ts';
import type { StageConfig } from './stage-fields.ts';

/** Something valid that cannot work as it is. */
export interface ConfigWarning {
  /** The kind of warning, to acknowledge it in CDK: `filter`. */
  readonly id: 'address' | 'alarms' | 'filter';
  readonly message: string;
}

type Path = readonly (string | number)[];

/** Hosts that belong to nobody (RFC 2606). */
const PLACEHOLDER_HOST = /(^|\.)(example|invalid|test|example\.(com|net|org))$/;

/** Finds fields of a valid config that cannot work: the deployment would succeed and be silent. */
export function configWarnings(config: StageConfig): ConfigWarning[] {
  return [
    ...addressWarnings(config),
    ...alarmWarnings(config),
    ...config.subscribers.flatMap((subscriber, index) =>
      filterWarnings(subscriber, config, ['subscribers', index]).map((message) => ({
        id: 'filter' as const,
        message,
      })),
    ),
  ];
}

/** Addresses that belong to nobody, or to this machine. */
function addressWarnings({ baseUrl, authUrl, subscribers }: StageConfig): ConfigWarning[] {
  const addresses: [Path, string][] = [
    [['baseUrl'], baseUrl],
    [['authUrl'], authUrl],
    ...subscribers.map(({ endpoint }, i): [Path, string] => [
      ['subscribers', i, 'endpoint'],
      endpoint,
    ]),
  ];
  return addresses.flatMap(([path, text]) => {
    const host = URL.parse(text)?.hostname ?? '';
    const problem = PLACEHOLDER_HOST.test(host)
      ? 'is a placeholder: set the real address'
      : isLoopback(host) && 'is this machine, which AWS cannot reach';
    return problem ? [warning('address', path, text, problem)] : [];
  });
}

function alarmWarnings({ monitoring, alarmEmail, alarmTopicArn }: StageConfig): ConfigWarning[] {
  if (monitoring === 'off' || alarmEmail !== undefined || alarmTopicArn !== undefined) return [];
  const message =
    'sends its alarms to nobody: set alarmEmail or alarmTopicArn, or subscribe to the alarm topic';
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
