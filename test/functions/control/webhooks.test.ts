import { beforeEach, expect, it } from 'vitest';
import { Table } from '../../../functions/adapters/dynamodb/table.ts';
import { WebhookItems, WebhookRecords } from '../../../functions/adapters/dynamodb/webhooks.ts';
import { SqsWebhookQueues } from '../../../functions/adapters/sqs/webhook-queues.ts';
import { control } from '../../../functions/control/control.ts';
import type { DeployedWebhook } from '../../../functions/control/ports.ts';
import type { WebhookAttemptsAnswer } from '../../../functions/control/protocol.ts';
import type { WebhookAttempt } from '../../../functions/deliver/ports.ts';
import { liveSite, type Site } from '../../support/site.ts';
import { testAws } from '../../support/test-aws.ts';

const aws = testAws();
const NOW = Date.parse('2026-11-22T12:00:00Z');
let site: Site;
let table: Table;
let hook: DeployedWebhook;
let other: DeployedWebhook;
let mapping: { state: string; error?: Error };

async function deploy(name: string): Promise<DeployedWebhook> {
  return {
    ...{ name, url: `https://${name}.example`, functionName: `deliver-${name}` },
    queueUrl: await aws.createQueue(),
    deadLettersUrl: await aws.createQueue(),
  };
}

beforeEach(async () => {
  site = await liveSite();
  table = new Table({ client: aws.clients.dynamodb, tableName: await aws.createTable() });
  hook = await deploy('hook');
  other = await deploy('other');
  mapping = { state: 'Enabled' };
});

const ask = async (request: object, deployed = [hook, other]): Promise<unknown> => {
  const answer = await control(request, {
    ...{ store: site.store, quarantine: site.quarantine, catalog: site.options.catalog },
    ...{ shardCount: 1, now: () => NOW },
    webhooks: {
      deployed,
      records: new WebhookRecords(table),
      queues: new SqsWebhookQueues(aws.clients.sqs, { maxReceived: 15 }),
      mappingOf: () =>
        Promise.resolve({
          state: () => Promise.resolve(mapping.state),
          setEnabled: (isEnabled) => {
            mapping.state = isEnabled ? 'Enabled' : 'Disabled';
            return mapping.error ? Promise.reject(mapping.error) : Promise.resolve();
          },
        }),
    },
  });
  // As Lambda passes it on.
  return JSON.parse(JSON.stringify(answer)) as unknown;
};

const idsIn = async (queueUrl: string) =>
  (await aws.drain(queueUrl)).map(({ Body = '' }) => (JSON.parse(Body) as { id: string }).id);

it('a webhook without an event source mapping is listed, and refuses what would have no effect', async () => {
  mapping.state = 'missing';
  expect(await ask({ command: 'webhook-list' }, [hook])).toMatchObject({
    webhooks: [{ name: 'hook', mapping: 'missing', state: 'not delivering' }],
  });
  for (const verb of ['test', 'enable', 'disable', 'resend']) {
    const answer = await ask({ command: `webhook-${verb}`, name: 'hook' });
    expect(answer).toMatchObject({
      error: {
        message: 'hook delivers nothing: its function has no event source mapping.',
        hint: 'Deploy the stack again. On a laptop: npm start -- --webhook https://hook.example',
      },
    });
  }
  expect(await ask({ command: 'webhook-attempts', name: 'hook' })).toMatchObject({ attempts: [] });
  expect(await idsIn(hook.queueUrl)).toEqual([]);
});

it('those that fail or are disabled stand in the status', async () => {
  expect(await ask({ command: 'status' })).not.toHaveProperty('webhooks');
  await new WebhookItems(table, 'hook').noteFailure(Date.parse('2026-11-22T11:00:00Z'), 0);
  await ask({ command: 'webhook-disable', name: 'other' });
  expect(await ask({ command: 'status' })).toMatchObject({
    webhooks: [
      { name: 'hook', failingSince: '2026-11-22T11:00:00.000Z' },
      { name: 'other', disabledAt: '2026-11-22T12:00:00.000Z', disabledBy: 'operator' },
    ],
  });
});

it('attempts are listed latest first, those that failed alone, and cut', async () => {
  const items = new WebhookItems(table, 'hook');
  const at = Date.parse('2026-11-22T11:00:00Z');
  const attempt = (n: number, fields: Partial<WebhookAttempt> = {}): WebhookAttempt => {
    return { id: `e${n}`, at: at + n, count: 1, outcome: 'delivered', durationMs: 5, ...fields };
  };
  await items.saveAttempts([attempt(1), attempt(2, { outcome: 'failed' })]);
  await items.saveAttempts([attempt(3)]);
  const all = await ask({ command: 'webhook-attempts', name: 'hook' });
  expect(all).toMatchObject({
    isComplete: true,
    attempts: [{ id: 'e3' }, { id: 'e2' }, { id: 'e1' }],
  });
  expect(await ask({ command: 'webhook-attempts', name: 'hook', failed: true })).toMatchObject({
    attempts: [{ id: 'e2', at: '2026-11-22T11:00:00.002Z' }],
  });
  expect(await ask({ command: 'webhook-attempts', name: 'hook', limit: 1 })).toMatchObject({
    isComplete: false,
    attempts: [{ id: 'e3' }],
  });
});

it('only an attempt that is still to come is announced, and none while the webhook is disabled', async () => {
  const name = 'hook';
  const failed = { count: 1, outcome: 'failed', durationMs: 5 } as const;
  await new WebhookItems(table, name).saveAttempts([
    { ...failed, id: 'tried again', at: NOW - 2000, nextAt: NOW },
    { ...failed, id: 'waits', at: NOW - 3000, nextAt: NOW + 1 },
  ]);
  const request = { command: 'webhook-attempts', name, failed: true };
  const { attempts } = (await ask(request)) as WebhookAttemptsAnswer;
  expect(attempts.map(({ nextAt }) => nextAt)).toEqual([undefined, '2026-11-22T12:00:00.001Z']);
  await ask({ command: 'webhook-disable', name });
  const answer = (await ask(request)) as WebhookAttemptsAnswer;
  expect(answer).toHaveProperty('disabled', true);
  for (const attempt of answer.attempts) expect(attempt).not.toHaveProperty('nextAt');
});

it.each([
  [
    { command: 'webhook-test', name: 'hok' },
    'There is no webhook "hok".',
    'Name one of hook, other.',
  ],
  [{ command: 'webhook-resend', name: 'hook', since: 'now' }, 'since is "now"', ''],
])('%j is refused', async (request, message, hint) => {
  const { error } = (await ask(request)) as { error: { message: string; hint: string } };
  expect(error.message).toContain(message);
  expect(error.hint).toContain(hint);
});
