import { beforeEach, expect, it } from 'vitest';
import { Table } from '../../../../functions/adapters/dynamodb/table.ts';
import { WebhookItems, WebhookRecords } from '../../../../functions/adapters/dynamodb/webhooks.ts';
import type { WebhookAttempt } from '../../../../functions/deliver/ports.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();
let table: Table;
let items: WebhookItems;
let records: WebhookRecords;

beforeEach(async () => {
  table = new Table({ client: aws.clients.dynamodb, tableName: await aws.createTable() });
  items = new WebhookItems(table, 'hook');
  records = new WebhookRecords(table);
});

const NOW = Date.parse('2026-11-22T12:00:00Z');

it('failures begin once, and end with a success', async () => {
  expect(await items.loadState()).toEqual({});
  await items.endFailures();
  expect(await items.noteFailure(NOW, 5)).toBe(NOW);
  expect(await items.noteFailure(NOW + 5, 5)).toBe(NOW);
  expect(await items.noteFailure(NOW + 10, 5)).toBe(NOW);
  expect(await items.loadState()).toEqual({ failingSince: NOW });
  await items.endFailures();
  await items.endFailures();
  expect(await items.loadState()).toEqual({});
  expect(await items.noteFailure(NOW + 11, 5)).toBe(NOW + 11);
});

it('failures begin anew if the last one is long ago', async () => {
  await items.noteFailure(NOW, 5);
  expect(await items.noteFailure(NOW + 6, 5)).toBe(NOW + 6);
  expect(await items.loadState()).toEqual({ failingSince: NOW + 6 });
});

it('a webhook is disabled for its failures only while no success has ended them', async () => {
  await items.noteFailure(NOW, 5);
  expect(await items.disable('failures', NOW + 2, NOW + 1)).toBe(false);
  expect((await items.loadState()).disabled).toBeUndefined();
  expect(await items.disable('failures', NOW + 2, NOW)).toBe(true);
  expect(await items.disable('410', NOW + 3)).toBe(true);
  expect((await items.loadState()).disabled).toEqual({ at: NOW + 2, by: 'failures' });
});

it('an operator disables and enables it; then nothing is held against it', async () => {
  await items.noteFailure(NOW, 5);
  await records.disable('hook', NOW + 1);
  expect(await records.loadState('hook')).toEqual({ disabled: { at: NOW + 1, by: 'operator' } });
  expect(await records.loadState('other')).toEqual({});
  await records.enable('hook');
  expect(await records.loadState('hook')).toEqual({});
});

it('attempts are read latest first, and end after 14 days', async () => {
  const attempt = (n: number): WebhookAttempt => {
    return { id: `e${n}`, at: NOW + n, count: 1, outcome: 'delivered', status: 200, durationMs: 5 };
  };
  await items.saveAttempts([attempt(1), attempt(2)]);
  await items.saveAttempts([attempt(30)]);
  await items.saveAttempts([attempt(4)]);
  await new WebhookItems(table, 'other').saveAttempts([attempt(5)]);
  const read = [];
  for await (const attempts of records.attempts('hook')) read.push(attempts.map(({ id }) => id));
  expect(read).toEqual([['e30'], ['e4'], ['e1', 'e2']]);
  const [item] = await table.query({ pk: 'webhook#hook', prefix: 'attempts#' });
  expect(Number(item?.['z']) * 1000).toBe(NOW + 14 * 86_400_000);
});
