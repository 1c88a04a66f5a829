import { CreateTopicCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { startClients } from '../../../support/embedded.ts';

const QUEUES = 'arn:aws:sqs:us-east-1:000000000000:';
const RAW = JSON.stringify({ data: { object: { rotation: [90] } } });

it.each<[Protocol: string, Endpoint: string, Attributes: Record<string, string>, reason?: RegExp]>([
  ['lambda', 'arn:aws:lambda:us-east-1:000000000000:function:f', {}, /its own SQS queues only/],
  ['sqs', `${QUEUES}unknown`, {}, /its own SQS queues only/],
  ['sqs', 'arn:aws:sqs:eu-central-1:123456789012:known', {}, /its own SQS queues only/],
  ['sqs', `${QUEUES}known`, {}],
  ['sqs', `${QUEUES}known`, { FilterPolicy: '{nope' }, /Invalid parameter: FilterPolicy/],
  ['sqs', `${QUEUES}known`, { FilterPolicy: '{"name":["<&>"]}' }, /name; allowed: /],
  ['sqs', `${QUEUES}known`, { FilterPolicy: RAW }, /allowed: type, entity/],
  ['sqs', `${QUEUES}known`, { FilterPolicy: RAW, FilterPolicyScope: 'MessageBody' }],
  ['sqs', `${QUEUES}known`, { FilterPolicy: '{ }' }],
])('a subscription is refused unless it delivers: %s %s %j', async (...args) => {
  const [Protocol, Endpoint, Attributes, reason] = args;
  const { sns, sqs } = await startClients();
  await sqs.send(new CreateQueueCommand({ QueueName: 'known' }));
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'events' }));
  const subscribing = sns.send(new SubscribeCommand({ TopicArn, Protocol, Endpoint, Attributes }));
  if (reason) await expect(subscribing).rejects.toThrow(reason);
  else expect(await subscribing).toHaveProperty('SubscriptionArn');
});
