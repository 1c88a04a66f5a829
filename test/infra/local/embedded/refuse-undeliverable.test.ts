import { CreateTopicCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { startClients } from '../../../support/embedded.ts';

const QUEUES = 'arn:aws:sqs:us-east-1:000000000000:';

it.each([
  ['https', 'https://hook.test', /delivers to SQS queues only/],
  ['lambda', 'arn:aws:lambda:us-east-1:000000000000:function:f', /delivers to SQS queues only/],
  ['sqs', `${QUEUES}unknown`, /no queue of the embedded SQS/],
  ['sqs', 'arn:aws:sqs:eu-central-1:123456789012:known', /no queue of the embedded SQS/],
  ['sqs', `${QUEUES}known`, undefined],
])('a subscription by %s to %s is refused with a reason unless it delivers', async (...args) => {
  const [Protocol, Endpoint, reason] = args;
  const { sns, sqs } = await startClients();
  await sqs.send(new CreateQueueCommand({ QueueName: 'known' }));
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'events' }));
  const subscribing = sns.send(new SubscribeCommand({ TopicArn, Protocol, Endpoint }));
  if (reason) await expect(subscribing).rejects.toThrow(reason);
  else expect(await subscribing).toHaveProperty('SubscriptionArn');
});
