import { buildCommand, buildRouteMap } from '@stricli/core';
import type { WebhookDoneAnswer } from '../../../../functions/control/protocol.ts';
import { askControl } from '../../control-function.ts';
import { findStack } from '../../find-stack.ts';
import {
  flag,
  JSON_FLAG,
  readPastTime,
  STACK_FLAGS,
  STACK_USAGE,
  type StackFlags,
} from '../../flags.ts';
import { reporting } from '../../report.ts';
import { painterFor, type CliContext } from '../../terminal.ts';
import {
  formatAttempts,
  formatDisabled,
  formatEnabled,
  formatResent,
  formatWebhooks,
} from './format-webhooks.ts';

interface Flags extends StackFlags {
  readonly json?: boolean | undefined;
}

interface AttemptsFlags extends Flags {
  readonly failed?: boolean | undefined;
  readonly limit: number;
}

interface ResendFlags extends Flags {
  readonly since?: string | undefined;
}

const FLAGS = { ...STACK_FLAGS, json: JSON_FLAG } as const;

const NAME = {
  kind: 'tuple',
  parameters: [{ brief: 'Name of the webhook', placeholder: 'name', parse: String }],
} as const;

const listCommand = buildCommand<Flags, [], CliContext>({
  docs: describe('list', 'List the webhooks', 'how each fares, and what waits', '[flags]', [
    '--stage prod',
  ]),
  parameters: { flags: FLAGS },
  async func(flags) {
    await reporting(this, flags.json, async () => {
      const answer = await askControl(await findStack(flags), { command: 'webhook-list' });
      const paint = painterFor(this.process.stdout);
      return { document: answer, text: formatWebhooks(answer, { paint, now: Date.now() }) };
    });
  },
});

const attemptsCommand = buildCommand<AttemptsFlags, [string], CliContext>({
  docs: describe(
    'attempts',
    'List the attempts to deliver',
    'those of the last 14 days, the latest first',
    '<name> [flags]',
    ['--stage prod crm --failed'],
  ),
  parameters: {
    flags: {
      ...FLAGS,
      failed: flag('Only those that failed'),
      limit: {
        kind: 'parsed',
        parse: readLimit,
        placeholder: 'n',
        brief: 'Attempts to show, at most 1000',
        default: '20',
      },
    },
    positional: NAME,
  },
  async func(flags, name) {
    await reporting(this, flags.json, async () => {
      const { failed, limit } = flags;
      const stack = await findStack(flags);
      const options = { limit, ...(failed === true && { failed }) };
      const answer = await askControl(stack, { command: 'webhook-attempts', name, ...options });
      const layout = { paint: painterFor(this.process.stdout), now: Date.now() };
      return { document: answer, text: formatAttempts(answer, layout, failed) };
    });
  },
});

const resendCommand = buildCommand<ResendFlags, [string], CliContext>({
  docs: describe(
    'resend',
    'Deliver dead letters again',
    'the events that it gave up after three days',
    '<name> [flags]',
    ['--stage prod crm', '--stage prod crm --since 2d'],
  ),
  parameters: {
    flags: {
      ...FLAGS,
      since: {
        kind: 'parsed',
        parse: (input: string) => readPastTime(input),
        placeholder: 'time',
        brief: 'Only events whose change is not older: a time, or an age such as 2h or 3d',
        optional: true,
      },
    },
    positional: NAME,
  },
  async func(flags, name) {
    await reporting(this, flags.json, async () => {
      const { since } = flags;
      const stack = await findStack(flags);
      const options = since !== undefined && { since };
      const answer = await askControl(stack, { command: 'webhook-resend', name, ...options });
      return { document: answer, text: formatResent(answer) };
    });
  },
});

const testCommand = changeCommand(
  'test',
  'Deliver a test event',
  'it goes through the queue as all events do',
  ({ name, id = '', disabled }) =>
    disabled === true
      ? `Event ${id} waits in the queue of ${name}, which is disabled: sitecast webhooks enable ${name}`
      : `Event ${id} is in the queue of ${name}. What came of it: sitecast webhooks attempts ${name}`,
);

const enableCommand = changeCommand(
  'enable',
  'Deliver to a webhook again',
  'its events flow within a minute; those that failed wait for their next attempt',
  formatEnabled,
);

const disableCommand = changeCommand(
  'disable',
  'Stop the deliveries to a webhook',
  'its events wait in the queue, for 14 days at most',
  formatDisabled,
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
  more: string,
  format: (answer: WebhookDoneAnswer) => string,
) {
  return buildCommand<Flags, [string], CliContext>({
    docs: describe(verb, brief, more, '<name> [flags]', ['--stage prod crm']),
    parameters: { flags: FLAGS, positional: NAME },
    async func(flags, name) {
      await reporting(this, flags.json, async () => {
        const command = `webhook-${verb}` as const;
        const answer = await askControl(await findStack(flags), { command, name });
        return { document: answer, text: format(answer) };
      });
    },
  });
}

function readLimit(input: string): number {
  const limit = /^\d{1,4}$/.test(input) ? Number(input) : 0;
  if (limit >= 1 && limit <= 1000) return limit;
  throw new Error('allowed: a whole number from 1 to 1000');
}

function describe(
  name: string,
  brief: string,
  more: string,
  usage: string,
  examples: readonly string[],
) {
  const lines = examples.map((example) => `  sitecast webhooks ${name} ${example}`);
  return {
    brief,
    fullDescription: [`${brief}: ${more}.`, '', 'EXAMPLES', ...lines].join('\n'),
    customUsage: [`${STACK_USAGE} ${usage}`],
  };
}
