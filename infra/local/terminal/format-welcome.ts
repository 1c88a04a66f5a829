import { DEFAULT_PORTS } from '../embedded/ports.ts';
import { additionalLists, isTasks } from '../stack/additional-lists.ts';
import type { LocalStack } from '../stack/local-stack.ts';
import type { Options } from './parse-options.ts';

/** The usual ports that the stack did not get. */
function takenPorts({ endpoints, service, baseUrl }: LocalStack): number[] {
  const { dynamodb, sns, secretsManager } = endpoints;
  const used: [number, string][] = [
    ...(service ? [[DEFAULT_PORTS.service, baseUrl] satisfies [number, string]] : []),
    [DEFAULT_PORTS.dynamodb, dynamodb],
    [DEFAULT_PORTS.messaging, sns],
    [DEFAULT_PORTS.secretsManager, secretsManager],
  ];
  return used.flatMap(([port, url]) => (new URL(url).port === String(port) ? [] : port));
}

/** The addresses of the stack, and what is special about it. @param tokenPath the file with the refresh token. */
export function formatWelcome(stack: LocalStack, options: Options, tokenPath: string): string {
  const { seconds } = options;
  const { endpoints, service, schedules, baseUrl, authUrl, topicArn, declaredSubscribers } = stack;
  const until = seconds === undefined ? 'until Ctrl-C' : `for ${seconds} s`;
  const subscribers = declaredSubscribers.map(({ name, protocol }) => `${name} (${protocol})`);
  const pollers = schedules.length > 1 ? `${schedules.length} pollers` : 'poller';
  const rows: [string, string][] = [
    ['service', `${baseUrl}/api/v3${service ? ' (simulated)' : ''}`],
    ['token endpoint', `${authUrl}/api_keys/jwt`],
    ['refresh token', `in ${tokenPath}`],
    ...(service ? [['admin', service.adminUrl] satisfies [string, string]] : []),
    ['DynamoDB', endpoints.dynamodb],
    ['S3, SNS, SQS', endpoints.sns],
    ['Secrets Manager', endpoints.secretsManager],
    ['topic', topicArn],
    ['commands', 'npm run sitecast -- status --local'],
    [
      pollers,
      `${describeRuns(options)} (deployed: every ${schedules[0]?.everySeconds} s), ${until}`,
    ],
    ...stack.webhooks.flatMap(({ name, url, secret }): [string, string][] => [
      [name, url],
      ['', `signed with ${secret}`],
    ]),
    ...(subscribers.length > 0
      ? [['subscribers', subscribers.join(', ')] satisfies [string, string]]
      : []),
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(16)} ${value}`);
  const taken = takenPorts(stack);
  const ports =
    taken.length > 0
      ? `\n${taken.length > 1 ? 'Ports' : 'Port'} ${taken.join(', ')} ${taken.length > 1 ? 'are' : 'is'} taken, perhaps by another npm start: ${taken.length > 1 ? 'others are' : 'another is'} used.\n`
      : '';
  const standIns =
    subscribers.length > 0
      ? '\nNothing leaves this machine, unless --webhook names a place elsewhere: a queue stands in for each subscriber of the config, and → after an event names those that would receive it.\n'
      : '';
  return `\n${lines.join('\n')}\n${ports}${standIns}${lackingLists(options)}`;
}

/** With `pollEverySeconds` a run takes most of its deployed interval. */
function describeRuns({ every, stage }: Options): string {
  const sweepSeconds = stage?.config['pollEverySeconds'];
  return sweepSeconds === undefined
    ? `every ${every} s`
    : `run after run, each with a sweep every ${JSON.stringify(sweepSeconds)} s`;
}

/** Says which lists of a stage the simulated service does not have. */
function lackingLists({ service, stage, additional }: Options): string {
  const lists = additionalLists(stage?.config).filter((list) => !additional || !isTasks(list));
  if (service || lists.length === 0) return '';
  const hint = lists.some(isTasks) ? ' --additional adds "tasks".' : '';
  return `\nThe simulated service answers 404 for the additionalResources of the stage.${hint}\n`;
}
