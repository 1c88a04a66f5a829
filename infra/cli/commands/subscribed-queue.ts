import { SubscribeCommand, type SNSClient } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/** Creates a queue of the type of a topic. @returns its URL. */
export async function createQueue(
  sqs: SQSClient,
  name: string,
  topicArn: string,
  attributes: Readonly<Record<string, string>> = {},
): Promise<string> {
  const create = topicArn.endsWith('.fifo')
    ? { QueueName: `${name}.fifo`, Attributes: { ...attributes, FifoQueue: 'true' } }
    : { QueueName: name, Attributes: attributes };
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand(create));
  return QueueUrl;
}

/** Subscribes a queue to a topic, raw. @returns the ARN of the subscription. */
export async function subscribeQueue(
  { sns, sqs }: { readonly sns: SNSClient; readonly sqs: SQSClient },
  topicArn: string,
  QueueUrl: string,
  filterPolicy?: object,
): Promise<string> {
  const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  const { Attributes } = await sqs.send(read);
  const { SubscriptionArn = '' } = await sns.send(
    new SubscribeCommand({
      ...{ TopicArn: topicArn, Protocol: 'sqs', Endpoint: Attributes?.QueueArn },
      Attributes: {
        RawMessageDelivery: 'true',
        ...(filterPolicy && { FilterPolicy: JSON.stringify(filterPolicy) }),
      },
      ReturnSubscriptionArn: true,
    }),
  );
  return SubscriptionArn;
}

/** Receives some messages of a queue, and deletes them. */
export async function takeMessages(
  sqs: SQSClient,
  QueueUrl: string,
  abortSignal?: AbortSignal,
): Promise<readonly Message[]> {
  const receive = new ReceiveMessageCommand({
    ...{ QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] },
  });
  const { Messages = [] } = await sqs.send(receive, abortSignal ? { abortSignal } : {});
  if (Messages.length === 0) return [];
  const Entries = Messages.map(({ ReceiptHandle }, id) => ({ Id: String(id), ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  return Messages;
}
