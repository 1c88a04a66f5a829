import { CONSOLE_PORT, DEFAULT_PORTS } from '../../local/embedded/endpoints.ts';
import type { LocalStack } from '../../local/stack/local-stack.ts';
import { countOf, formatFields } from '../format.ts';
import { asTyped } from '../report.ts';
import type { DevOptions } from './read-options.ts';

/** The addresses of the stack, and its subscribers. @param consoleUrl absent without a console. */
export function formatWelcome(
  stack: LocalStack,
  options: DevOptions,
  tokenPath: string,
  consoleUrl = `:${CONSOLE_PORT}`,
): string {
  const { endpoints, service, schedules, baseUrl, authUrl, topicArn, declaredSubscribers } = stack;
  const { seconds, every } = options;
  const deployed = `deployed: every ${schedules[0]?.everySeconds} s`;
  const until = seconds === undefined ? 'until Ctrl-C' : `for ${seconds} s`;
  const subscribers = declaredSubscribers.map(({ name, protocol }) => `${name} (${protocol})`);
  const taken = takenPorts(stack, consoleUrl);
  const lines = formatFields({
    service: `${baseUrl}/api/v3${service ? ' (simulated)' : ''}`,
    'token endpoint': `${authUrl}/api_keys/jwt`,
    'refresh token': `in ${tokenPath}`,
    admin: service?.adminUrl,
    DynamoDB: endpoints.dynamodb,
    'S3, SNS, SQS': endpoints.sns,
    'Secrets Manager': endpoints.secretsManager,
    topic: topicArn,
    commands: asTyped('sitecast status --local'),
    [countOf(schedules.length, 'poller')]: `every ${every} s (${deployed}), ${until}`,
    ...Object.fromEntries(
      stack.webhooks.flatMap(({ name, url, secret }) => [
        [name, url],
        [`${name} secret`, secret],
      ]),
    ),
    subscribers: subscribers.length > 0 ? `queues for ${subscribers.join(', ')}` : undefined,
    'ports taken': taken.length > 0 ? `${taken.join(', ')}: free ones replace them` : undefined,
  });
  return ['', ...lines, ''].join('\n');
}

/** The preferred ports that another program has: a second `npm start`, mostly. */
function takenPorts({ service, endpoints }: LocalStack, consoleUrl: string): number[] {
  const { dynamodb, sns, secretsManager } = endpoints;
  const urls = [
    service?.baseUrl ?? `:${DEFAULT_PORTS.service}`,
    dynamodb,
    sns,
    secretsManager,
    consoleUrl,
  ];
  return [...Object.values(DEFAULT_PORTS), CONSOLE_PORT].filter(
    (port) => !urls.some((url) => url.endsWith(`:${port}`)),
  );
}
