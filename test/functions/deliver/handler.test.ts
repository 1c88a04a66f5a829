import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished, vi } from 'vitest';
import { json, rejection, serve } from '../../support/local-server.ts';
import { eventOf } from '../../support/samples.ts';
import { testAws } from '../../support/test-aws.ts';

const aws = testAws();
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const context = {
  awsRequestId: 'request-1',
  functionName: 'deliver',
  getRemainingTimeInMillis: () => 60_000,
} as Context;

/** Gives the function a webhook of its own in the embedded services. */
async function deploy(url: string, secret = SECRET) {
  const { sqs, secretsManager } = aws.clients;
  const [queueUrl, deadLettersUrl] = [await aws.createQueue(), await aws.createQueue()];
  const Name = `hook-${Math.random()}`;
  await secretsManager.send(new CreateSecretCommand({ Name, SecretString: secret }));
  const webhook = { name: 'hook', url, allowPrivateAddress: true };
  const environment: Record<string, string | undefined> = {
    ...aws.environment,
    POWERTOOLS_DEV: undefined,
    POWERTOOLS_SERVICE_NAME: 'sitecast-test',
    POWERTOOLS_METRICS_NAMESPACE: 'Sitecast',
    SITECAST_WEBHOOK: JSON.stringify(webhook),
    SITECAST_WEBHOOK_QUEUE_URL: queueUrl,
    SITECAST_WEBHOOK_DEAD_LETTERS_URL: deadLettersUrl,
    SITECAST_WEBHOOK_SECRET_ARN: Name,
    SITECAST_TABLE: await aws.createTable(),
    SITECAST_LARGE_EVENTS_BUCKET: await aws.createBucket(),
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  let written = '';
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => Boolean((written += String(chunk))));
  }
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  vi.resetModules();
  const { handler } = await import('../../../functions/deliver/handler.ts');
  return {
    written: () => written,
    /** Sends messages, and receives them as Lambda does. */
    async deliver(bodies: readonly string[]): Promise<SQSBatchResponse> {
      for (const MessageBody of bodies) {
        await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
      }
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: 10,
          MessageSystemAttributeNames: ['All'],
        }),
      );
      const Records = Messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => {
        return {
          messageId: MessageId,
          receiptHandle: ReceiptHandle,
          body: Body,
          attributes: Attributes,
        };
      });
      return handler({ Records } as unknown as SQSEvent, context);
    },
  };
}

it('a batch is delivered, signed, and what fails stays', async () => {
  const { url, received } = await serve((response, { headers }) =>
    response.writeHead(headers['webhook-id'] === eventOf('b').id ? 500 : 204).end(),
  );
  const bodies = ['a', 'b', 'c'].map((id) => JSON.stringify(eventOf(id)));
  const deployed = await deploy(url);
  const { batchItemFailures } = await deployed.deliver(bodies);
  expect(batchItemFailures).toHaveLength(1);
  expect(received.map(({ body }) => body).toSorted()).toEqual(bodies.toSorted());
  for (const { body, headers } of received) {
    expect(headers['content-type']).toBe('application/cloudevents+json');
    expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual(
      JSON.parse(body),
    );
    expect(headers['webhook-id']).toBe((JSON.parse(body) as { id: string }).id);
  }
  const entries = deployed.written().split('\n').filter(Boolean);
  const metrics = entries.map((line) => JSON.parse(line) as Record<string, unknown>).at(-1);
  expect(metrics).toMatchObject({
    ...{ service: 'sitecast-test', Webhook: 'hook' },
    ...{ WebhookAttempts: 3, WebhookDelivered: 2, WebhookFailures: 1, WebhookDisabled: 0 },
  });
  expect(deployed.written()).toContain('"reason":"The endpoint answered 500."');
  expect(deployed.written()).not.toContain('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
});

it('no call waits for ever when AWS does not answer', async () => {
  const asked: string[] = [];
  const silent = await serve((response, { headers }) => {
    const service = /\/([a-z]+)\/aws4_request/.exec(headers.authorization ?? '')?.[1] ?? '';
    asked.push(service);
    // One of the two invocations reads the state, and asks for the secret.
    if (service === 'dynamodb' && asked.indexOf(service) < asked.length - 1) {
      json(response, 200, { Responses: {}, UnprocessedKeys: {} });
    }
  });
  const deployed = await deploy('http://127.0.0.1:9');
  for (const service of ['DYNAMODB', 'SECRETS_MANAGER', 'SQS']) {
    vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, silent.url);
  }
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  const bodies = [JSON.stringify(eventOf('a'))];
  const errors = await Promise.all([
    rejection(deployed.deliver(bodies)),
    rejection(deployed.deliver(bodies)),
  ]);
  for (const error of errors) expect(String(error)).toContain('TimeoutError');
  expect([...new Set(asked)].toSorted()).toEqual(['dynamodb', 'secretsmanager', 'sqs']);
  expect(deployed.written()).toContain('A message could not be put back');
});
