import { CreateTopicCommand, PublishCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import type { Clients } from '../../../../infra/local/stack/clients.ts';
import { subscribe } from '../../../../infra/local/stack/subscriber.ts';
import { startClients } from '../../../support/embedded.ts';

async function startTopic(Name = 'events'): Promise<{ clients: Clients; topicArn: string }> {
  const clients = await startClients();
  const { TopicArn = '' } = await clients.sns.send(new CreateTopicCommand({ Name }));
  return { clients, topicArn: TopicArn };
}

async function publish(
  { clients, topicArn }: { clients: Clients; topicArn: string },
  message: string,
  entity = 'project',
): Promise<void> {
  const MessageAttributes = { entity: { DataType: 'String', StringValue: entity } };
  await clients.sns.send(
    new PublishCommand({ TopicArn: topicArn, Message: message, MessageAttributes }),
  );
}

it.each([false, true])(
  'delivers the message and its attributes as they were published (raw: %s)',
  async (raw) => {
    const topic = await startTopic();
    const subscriber = await subscribe(topic.clients, topic.topicArn, 'queue', { raw });
    await publish(topic, '{"id":"1"}');
    expect(await subscriber.drain()).toEqual([
      { message: '{"id":"1"}', attributes: { entity: 'project' } },
    ]);
  },
);

it('takes all that lies in the queue, however much, and leaves nothing behind', async () => {
  const topic = await startTopic();
  const subscriber = await subscribe(topic.clients, topic.topicArn, 'queue');
  for (let n = 0; n < 25; n++) await publish(topic, String(n));
  expect(await subscriber.drain()).toHaveLength(25);
  const { Attributes } = await topic.clients.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: subscriber.queueUrl, AttributeNames: ['All'] }),
  );
  expect(Attributes).toMatchObject({
    ApproximateNumberOfMessages: '0',
    ApproximateNumberOfMessagesNotVisible: '0',
  });
});

it('takes from a FIFO topic each message once, those of a group in their order', async () => {
  const { clients, topicArn } = await startTopic('events.fifo');
  const subscriber = await subscribe(clients, topicArn, 'queue');
  for (const Message of ['1', '2', '2', '3']) {
    const ids = { MessageGroupId: 'entity', MessageDeduplicationId: Message };
    await clients.sns.send(new PublishCommand({ TopicArn: topicArn, Message, ...ids }));
  }
  expect((await subscriber.drain()).map(({ message }) => message)).toEqual(['1', '2', '3']);
});

it('delivers only what its filter policy lets through', async () => {
  const topic = await startTopic();
  const filterPolicy = { entity: ['floorplan'] };
  const subscriber = await subscribe(topic.clients, topic.topicArn, 'queue', { filterPolicy });
  await publish(topic, 'no', 'project');
  await publish(topic, 'yes', 'floorplan');
  expect((await subscriber.drain()).map(({ message }) => message)).toEqual(['yes']);
});
