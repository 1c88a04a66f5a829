import {
  CreateTopicCommand,
  SetSubscriptionAttributesCommand,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
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

it.each([
  ['{nope', undefined, /^Invalid parameter: FilterPolicy: /],
  ['[1]', undefined, /FilterPolicy: the policy; allowed: an object/],
  ['{"account_id":[4711]}', undefined, /account_id\.0; allowed: a text, in quotes/],
  ['{"entity":"floorplan"}', undefined, /entity; allowed: /],
  ['{"data":{"object":{"rotation":[90]}}}', undefined, /allowed: type, entity/],
  ['{"name":["<&>"]}', undefined, /name; allowed: /],
  ['{"data":{"object":{"rotation":[90]}}}', 'MessageBody', undefined],
  ['{"account_id":["4711"]}', 'MessageAttributes', undefined],
  ['{ }', undefined, undefined],
])(
  'a filter policy %s with the scope %s is refused with a reason unless it works',
  async (...args) => {
    const [FilterPolicy, FilterPolicyScope, reason] = args;
    const { sns, sqs } = await startClients();
    await sqs.send(new CreateQueueCommand({ QueueName: 'known' }));
    const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'events' }));
    const queue = { TopicArn, Protocol: 'sqs', Endpoint: `${QUEUES}known` };
    const Attributes = { FilterPolicy, ...(FilterPolicyScope && { FilterPolicyScope }) };
    const subscribing = sns.send(new SubscribeCommand({ ...queue, Attributes }));
    if (reason) await expect(subscribing).rejects.toThrow(reason);
    else expect(await subscribing).toHaveProperty('SubscriptionArn');
  },
);

it('a filter policy that is set later is refused only if it works in no scope', async () => {
  const { sns, sqs } = await startClients();
  await sqs.send(new CreateQueueCommand({ QueueName: 'known' }));
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'events' }));
  const queue = { TopicArn, Protocol: 'sqs', Endpoint: `${QUEUES}known` };
  const { SubscriptionArn } = await sns.send(new SubscribeCommand(queue));
  const set = (AttributeValue: string) =>
    sns.send(
      new SetSubscriptionAttributesCommand({
        ...{ SubscriptionArn, AttributeName: 'FilterPolicy', AttributeValue },
      }),
    );
  await expect(set('{"entity":[1,]}')).rejects.toThrow(/FilterPolicy/);
  await set('{"data":{"object":{"rotation":[90]}}}');
  await set('{"entity":["floorplan"]}');
  await set('');
});
