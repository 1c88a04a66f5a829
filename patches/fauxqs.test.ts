import {
  CreateTopicCommand,
  PublishCommand,
  SNSClient,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { expect, it, onTestFinished } from 'vitest';

// Needs nothing of this project, so that it can be sent with the patch.

const QUEUE_ARN = 'arn:aws:sqs:us-east-1:000000000000:queue';

/** Publishes two messages to a topic, and returns those that its queue gets. */
async function filter(policy: object, scope: string): Promise<unknown[]> {
  const app = buildApp({ logger: false });
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
  const FilterPolicy = JSON.stringify(policy);
  const Attributes = { RawMessageDelivery: 'true', FilterPolicy, FilterPolicyScope: scope };
  await sns.send(
    new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: QUEUE_ARN, Attributes }),
  );
  for (const changed of [['name'], ['code', 'size']]) {
    const list = JSON.stringify(changed);
    const attributes = { changed: { DataType: 'String.Array', StringValue: list } };
    const Message = `{"data":{"changed":${list},"by":"x"}}`;
    await sns.send(new PublishCommand({ TopicArn, Message, MessageAttributes: attributes }));
  }
  const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
  const { Messages = [] } = await sqs.send(receive);
  return Messages.map(({ Body = '' }) => Body.includes('"name"'));
}

it.each([
  ['MessageAttributes', { changed: ['name'] }, [true]],
  ['MessageAttributes', { changed: [{ prefix: 's' }] }, [false]],
  ['MessageAttributes', { changed: [{ exists: true }] }, [true, false]],
  ['MessageBody', { data: { changed: ['size'] } }, [false]],
  ['MessageBody', { data: { $or: [{ changed: ['name'] }, { by: ['y'] }] } }, [true]],
])('an element of an array meets a condition on %s: %j', async (scope, policy, delivered) => {
  expect(await filter(policy, scope)).toEqual(delivered);
});
