import { buildRouteMap } from '@stricli/core';
import type { WebhookDoneAnswer, WebhookRequest } from '../../../functions/control/protocol.ts';
import { flag, pastTime, wholeNumber } from '../flags.ts';
import { answering, buildOperation, type OperationFlags } from '../operation.ts';
import type { CliContext } from '../terminal.ts';
import { formatAttempts, formatResent, formatWebhooks } from './format-webhooks.ts';

interface AttemptsFlags extends OperationFlags {
  readonly failed?: boolean | undefined;
  readonly limit: number;
}

interface ResendFlags extends OperationFlags {
  readonly since?: string | undefined;
}

type RequestOf<Command> = Extract<WebhookRequest, { readonly command: Command }>;

const NAME = {
  kind: 'tuple',
  parameters: [{ brief: 'Name of the webhook', placeholder: 'name', parse: String }],
} as const;

const listCommand = buildOperation<OperationFlags, [], RequestOf<'webhook-list'>>({
  path: 'webhooks list',
  brief: 'List the webhooks',
  details: 'how each fares, and what waits',
  examples: ['--stage prod'],
  request: () => ({ command: 'webhook-list' }),
  report: answering(formatWebhooks),
});

const attemptsCommand = buildOperation<AttemptsFlags, [string], RequestOf<'webhook-attempts'>>({
  path: 'webhooks attempts',
  brief: 'List the attempts to deliver',
  details: 'those of the last 14 days, the latest first',
  usage: '<name> [flags]',
  examples: ['--stage prod crm --failed'],
  flags: {
    failed: flag('Only those that failed'),
    limit: {
      ...{ kind: 'parsed', parse: wholeNumber(1, 1000), placeholder: 'n', default: '20' },
      brief: 'Attempts to show, at most 1000',
    },
  },
  positional: NAME,
  request: ({ failed, limit }, name) => {
    return { command: 'webhook-attempts', name, limit, ...(failed && { failed }) };
  },
  report: answering(formatAttempts),
});

const resendCommand = buildOperation<ResendFlags, [string], RequestOf<'webhook-resend'>>({
  path: 'webhooks resend',
  brief: 'Deliver dead letters again',
  details: 'the events that it gave up after three days',
  usage: '<name> [flags]',
  examples: ['--stage prod crm', '--stage prod crm --since 2d'],
  flags: {
    since: {
      ...pastTime('Only events whose change is not older: a time, or an age such as 2h or 3d'),
      optional: true,
    },
  },
  positional: NAME,
  request: ({ since }, name) => {
    return { command: 'webhook-resend', name, ...(since !== undefined && { since }) };
  },
  report: answering(formatResent),
});

const testCommand = changeCommand(
  'test',
  'Deliver a test event',
  'it goes through the queue as all events do',
  ({ name, id = '', disabled }) =>
    disabled === true
      ? `Event ${id} waits: ${name} is disabled. sitecast webhooks enable ${name}`
      : `Event ${id} is on its way. What came of it: sitecast webhooks attempts ${name}`,
);

const enableCommand = changeCommand(
  'enable',
  'Deliver to a webhook again',
  'its events flow within a minute; those that failed wait for their next attempt',
  ({ name }) => `${name} is enabled. Its events flow within a minute.`,
);

const disableCommand = changeCommand(
  'disable',
  'Stop the deliveries to a webhook',
  'its events wait in the queue, for 14 days at most',
  ({ name }) => `${name} is disabled. Its events wait in the queue, for 14 days at most.`,
);

/** `sitecast webhooks`. */
export const webhookRoutes = buildRouteMap<string, CliContext>({
  routes: {
    list: listCommand,
    test: testCommand,
    enable: enableCommand,
    disable: disableCommand,
    attempts: attemptsCommand,
    resend: resendCommand,
  },
  docs: { brief: 'See how webhooks fare, switch them, and deliver dead letters again' },
});

/** A command that needs the name of a webhook and nothing else. */
function changeCommand(
  verb: 'test' | 'enable' | 'disable',
  brief: string,
  details: string,
  format: (answer: WebhookDoneAnswer) => string,
) {
  return buildOperation<OperationFlags, [string], RequestOf<WebhookDoneAnswer['command']>>({
    ...{ path: `webhooks ${verb}`, brief, details },
    usage: '<name> [flags]',
    examples: ['--stage prod crm'],
    positional: NAME,
    request: (_, name) => ({ command: `webhook-${verb}`, name }),
    report: answering(format),
  });
}
