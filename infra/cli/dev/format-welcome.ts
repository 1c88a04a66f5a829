import { DEFAULT_PORTS } from '../../local/embedded/endpoints.ts';
import type { LocalStack } from '../../local/stack/local-stack.ts';
import { countOf } from '../format.ts';
import type { DevOptions } from './read-options.ts';

/** The addresses of the stack, and what is special about it. @param tokenPath the file with the refresh token. */
export function formatWelcome(stack: LocalStack, options: DevOptions, tokenPath: string): string {
  const { endpoints, service, schedules, baseUrl, authUrl, topicArn, declaredSubscribers } = stack;
  const { seconds, every } = options;
  const deployed = `deployed: every ${schedules[0]?.everySeconds} s`;
  const until = seconds === undefined ? 'until Ctrl-C' : `for ${seconds} s`;
  const subscribers = declaredSubscribers.map(({ name, protocol }) => `${name} (${protocol})`);
  const rows: [string, string | false | undefined][] = [
    ['service', `${baseUrl}/api/v3${service ? ' (simulated)' : ''}`],
    ['token endpoint', `${authUrl}/api_keys/jwt`],
    ['refresh token', `in ${tokenPath}`],
    ['admin', service?.adminUrl],
    ['DynamoDB', endpoints.dynamodb],
    ['S3, SNS, SQS', endpoints.sns],
    ['Secrets Manager', endpoints.secretsManager],
    ['topic', topicArn],
    ['commands', 'npm run sitecast -- status --local'],
    [countOf(schedules.length, 'poller'), `every ${every} s (${deployed}), ${until}`],
    ...stack.webhooks.flatMap(({ name, url, secret }): [string, string][] => [
      [name, url],
      ['', `signed with ${secret}`],
    ]),
    ['subscribers', subscribers.length > 0 && subscribers.join(', ')],
  ];
  const lines = rows.flatMap(([name, value]) => (value ? `  ${name.padEnd(16)} ${value}` : []));
  const notes = [
    takenPorts(stack),
    subscribers.length > 0
      ? 'A queue stands in for each subscriber of the config. → after an event names those that would receive it.'
      : '',
  ].filter((note) => note !== '');
  return ['', ...lines, ...notes.map((note) => `\n${note}`), ''].join('\n');
}

/** Names the usual ports that the stack did not get. */
function takenPorts({ endpoints, service, baseUrl }: LocalStack): string {
  const { dynamodb, sns, secretsManager } = endpoints;
  const used: [number, string][] = [
    ...(service ? [[DEFAULT_PORTS.service, baseUrl] satisfies [number, string]] : []),
    [DEFAULT_PORTS.dynamodb, dynamodb],
    [DEFAULT_PORTS.messaging, sns],
    [DEFAULT_PORTS.secretsManager, secretsManager],
  ];
  const taken = used.flatMap(([port, url]) => (new URL(url).port === String(port) ? [] : port));
  if (taken.length === 0) return '';
  return `Ports that are taken, perhaps by another npm start: ${taken.join(', ')}. Others are used.`;
}
