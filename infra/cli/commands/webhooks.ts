import { buildRouteMap } from '@stricli/core';
import type {
  WebhookAttemptsAnswer,
  WebhookListAnswer,
  WebhookResendAnswer,
  WebhookDoneAnswer,
  WebhookRequest,
} from '../../../functions/control/protocol.ts';
import { flag, pastTime, wholeNumber } from '../flags.ts';
import { clip, countOf, formatAge, formatDuration, formatTable } from '../format.ts';
import { answering, buildOperation, type OperationFlags, type View } from '../operation.ts';
import type { CliContext } from '../terminal.ts';

interface AttemptsFlags extends OperationFlags {
  readonly failed?: boolean | undefined;
  readonly limit: number;
}

interface ResendFlags extends OperationFlags {
  readonly since?: string | undefined;
}

type Layout = Pick<View, 'paint' | 'now' | 'command'>;

const REASON_LENGTH = 80;

/** The cause of a disabled webhook. */
export const DISABLED_BY = {
  ...{ '410': '410', failures: 'a day of failures', operator: 'an operator' },
} as const;

type RequestOf<Command> = Extract<WebhookRequest, { readonly command: Command }>;

const NAME = {
  kind: 'tuple',
  parameters: [{ brief: 'Name of the webhook', placeholder: 'name', parse: String }],
} as const;

const listCommand = buildOperation<OperationFlags, [], RequestOf<'webhook-list'>>({
  path: 'webhooks list',
  brief: 'List the webhooks',
  details: 'their health, and their waiting events',
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
    limit: { ...wholeNumber(1, 1000, 'Attempts to show, at most 1000'), default: '20' },
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
      ...pastTime('Only events of changes since a time, a day, or an age: 2h, 3d'),
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
  ({ name, id = '', disabled }, { command }) =>
    disabled === true
      ? `Event ${id} waits: ${name} is disabled. ${command(`webhooks enable ${name}`)}`
      : `Event ${id} is on its way. Its outcome: ${command(`webhooks attempts ${name}`)}`,
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

export const webhookRoutes = buildRouteMap<string, CliContext>({
  routes: {
    list: listCommand,
    test: testCommand,
    enable: enableCommand,
    disable: disableCommand,
    attempts: attemptsCommand,
    resend: resendCommand,
  },
  docs: { brief: 'Show, test and switch webhooks, and deliver dead letters again' },
});

function changeCommand(
  verb: 'test' | 'enable' | 'disable',
  brief: string,
  details: string,
  format: (answer: WebhookDoneAnswer, view: View) => string,
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

export function formatWebhooks({ webhooks }: WebhookListAnswer, { paint, now }: Layout): string {
  if (webhooks.length === 0) return 'The stack has no webhooks.';
  const rows = webhooks.map(({ disabledBy, ...webhook }) => {
    const since = webhook.disabledAt ?? webhook.failingSince;
    const cause = disabledBy === undefined ? '' : ` (${DISABLED_BY[disabledBy]})`;
    return {
      WEBHOOK: webhook.name,
      STATE: `${webhook.state}${cause}`,
      FOR: since === undefined ? '-' : formatAge(since, now),
      MAPPING: webhook.mapping,
      WAITING: String(webhook.waitingCount),
      DEAD: String(webhook.deadCount),
      URL: webhook.url,
    };
  });
  return formatTable(rows, paint).join('\n');
}

export function formatAttempts(
  { name, attempts, isComplete, disabled }: WebhookAttemptsAnswer,
  { paint, now, command }: Layout,
): string {
  const enable = command(`webhooks enable ${name}`);
  const note = disabled ? [`${name} is disabled, and its events wait: ${enable}`] : [];
  if (attempts.length === 0) {
    return [`${name} has no such attempts in the last 14 days.`, ...note].join('\n');
  }
  const rows = attempts.map(({ status, nextAt, type = '', reason = '', ...attempt }) => ({
    AGE: formatAge(attempt.at, now),
    OUTCOME: `${attempt.outcome} ${status ?? ''}`.trimEnd(),
    TRY: String(attempt.count),
    MS: String(attempt.durationMs),
    NEXT: nextAt === undefined ? '-' : nextTime(Date.parse(nextAt) - now),
    EVENT: attempt.id,
    TYPE: type,
    REASON: clip(reason, REASON_LENGTH),
  }));
  const more = isComplete ? [] : ['… and older ones (--limit shows more)'];
  return [...formatTable(rows, paint), ...more, ...note].join('\n');
}

export function formatResent(answer: WebhookResendAnswer): string {
  const { name, resentCount, isComplete, hiddenCount } = answer;
  const hidden = 'dead letters are left out: a command looked at them a moment ago';
  return [
    `Back in the queue of ${name}: ${countOf(resentCount, 'dead letter')}.`,
    ...(isComplete ? [] : ['There are more: repeat the command.']),
    ...(hiddenCount > 0 ? [`About ${hiddenCount} ${hidden}.`] : []),
  ].join(' ');
}

const nextTime = (ms: number): string => (ms <= 0 ? 'due' : `in ${formatDuration(ms / 1000)}`);
