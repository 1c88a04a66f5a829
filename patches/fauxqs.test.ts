import {
  CreateTopicCommand,
  PublishCommand,
  SNSClient,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { expect, it, onTestFinished, vi } from 'vitest';

// Needs nothing of this project, so that it can be sent with the patch.

type Options = NonNullable<Parameters<typeof buildApp>[0]>;

const ATTRIBUTES = { color: { DataType: 'String', StringValue: 'red' } };
const QUEUE_ARN = 'arn:aws:sqs:us-east-1:000000000000:queue';

/** Publishes two messages to a topic, and returns those that its queue gets. */
async function filter(options: Options, subscription: Readonly<Record<string, string>>) {
  const app = buildApp({ logger: false, ...options });
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
  const settings = { endpoint, region: 'us-east-1', credentials };
  const [sns, sqs] = [new SNSClient(settings), new SQSClient(settings)];
  onTestFinished(async () => {
    sns.destroy();
    sqs.destroy();
    await app.close();
  });
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'queue' }));
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'topic' }));
  const Attributes = { RawMessageDelivery: 'true', ...subscription };
  await sns.send(
    new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: QUEUE_ARN, Attributes }),
  );
  for (const Message of ['{"size":1}', '{"size":2}']) {
    await sns.send(new PublishCommand({ TopicArn, Message, MessageAttributes: ATTRIBUTES }));
  }
  const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
  const { Messages = [] } = await sqs.send(receive);
  return Messages.map(({ Body }) => Body);
}

it.each(['MessageAttributes', 'MessageBody'])(
  'asks matchesFilter, with the scope %s',
  async (scope) => {
    const matchesFilter = vi.fn((_policy, _scope, message: string) => message === '{"size":2}');
    const FilterPolicy = '{"any":["thing"]}';
    const delivered = await filter({ matchesFilter }, { FilterPolicy, FilterPolicyScope: scope });
    expect(delivered).toEqual(['{"size":2}']);
    const policy = { any: ['thing'] };
    expect(matchesFilter.mock.calls).toEqual([
      [policy, scope, '{"size":1}', ATTRIBUTES],
      [policy, scope, '{"size":2}', ATTRIBUTES],
    ]);
  },
);

it('asks nothing about a subscription without a filter policy', async () => {
  const matchesFilter = vi.fn(() => false);
  expect(await filter({ matchesFilter }, {})).toHaveLength(2);
  expect(matchesFilter).not.toHaveBeenCalled();
});

it.each([
  ['{"color":["red"]}', 'MessageAttributes', 2],
  ['{"size":[1]}', 'MessageBody', 1],
])('without matchesFilter, %s of %s is evaluated as before', async (...of) => {
  const [FilterPolicy, FilterPolicyScope, count] = of;
  expect(await filter({}, { FilterPolicy, FilterPolicyScope })).toHaveLength(count);
});
