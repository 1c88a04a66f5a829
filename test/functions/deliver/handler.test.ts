import type { Context, SQSEvent } from 'aws-lambda';
import { expect, it, onTestFinished, vi } from 'vitest';
import { handler } from '../../../functions/deliver/handler.ts';
import { json, rejection, serve } from '../../support/local-server.ts';
import { eventOf } from '../../support/samples.ts';
import { stubEnvironment } from '../poll/environment.ts';

const context = {
  awsRequestId: 'request-1',
  functionName: 'deliver',
  getRemainingTimeInMillis: () => 60_000,
} as Context;

it('no call waits for ever when AWS does not answer', async () => {
  const asked = new Set<string>();
  const silent = await serve((response, { headers }) => {
    const service = /\/([a-z]+)\/aws4_request/.exec(headers.authorization ?? '')?.[1] ?? '';
    // One of the two invocations reads the state, and asks for the secret.
    if (service === 'dynamodb' && asked.has(service)) json(response, 200, { Responses: {} });
    asked.add(service);
  });
  stubEnvironment(silent.url);
  const webhook = { name: 'hook', url: 'https://hook.example', allowPrivateAddress: true };
  vi.stubEnv('SITECAST_WEBHOOK', JSON.stringify(webhook));
  vi.stubEnv('SITECAST_WEBHOOK_QUEUE_URL', `${silent.url}/queue`);
  vi.stubEnv('SITECAST_WEBHOOK_DEAD_LETTERS_URL', `${silent.url}/dead`);
  vi.stubEnv('SITECAST_WEBHOOK_SECRET_ARN', 'hook');
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockReturnValue(true);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const attributes = { ApproximateReceiveCount: '1', SentTimestamp: '0' };
  const record = { messageId: 'm', receiptHandle: 'r', body: JSON.stringify(eventOf('a')) };
  const event = { Records: [{ ...record, attributes }] } as unknown as SQSEvent;
  const calls = [handler(event, context), handler(event, context)];
  const errors = await Promise.all(calls.map(rejection));
  for (const error of errors) expect(String(error)).toContain('TimeoutError');
  expect([...asked].sort()).toEqual(['dynamodb', 'secretsmanager', 'sqs']);
});
