import { randomUUID } from 'node:crypto';
import { CreateTableCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { CreateTopicCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type Message,
} from '@aws-sdk/client-sqs';
import { makeClients, type Clients } from '../../infra/local/clients.ts';
import { startEmbeddedServices } from '../../infra/local/embedded.ts';

/** The embedded services, and what tests need of them. */
export interface TestAws {
  readonly clients: Clients;
  /** Clients of its own for a test that scripts their answers. */
  freshClients(): Clients;
  /** Makes a table with the keys `pk` and `sk`. @returns its name. */
  createTable(): Promise<string>;
  createQueue(attributes?: Record<string, string>): Promise<string>;
  /** Makes a topic and a queue that gets its messages raw, attributes included. */
  createTopic(): Promise<{ topicArn: string; queueUrl: string }>;
  /** Takes all messages out of a queue, in the queue's order. */
  drain(queueUrl: string): Promise<Message[]>;
  close(): Promise<void>;
}

/** Starts DynamoDB, SNS and SQS in this process. */
export async function startTestAws(): Promise<TestAws> {
  const services = await startEmbeddedServices();
  const clients = makeClients(services.endpoints);
  const { dynamodb, sns, sqs } = clients;
  const opened = [clients];

  async function createQueue(attributes: Record<string, string> = {}): Promise<string> {
    const command = new CreateQueueCommand({ QueueName: randomUUID(), Attributes: attributes });
    return given((await sqs.send(command)).QueueUrl);
  }

  return {
    clients,
    createQueue,

    freshClients() {
      const fresh = makeClients(services.endpoints);
      opened.push(fresh);
      return fresh;
    },

    async createTable() {
      const tableName = `table-${randomUUID()}`;
      await dynamodb.send(
        new CreateTableCommand({
          TableName: tableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [
            { AttributeName: 'pk', AttributeType: 'S' },
            { AttributeName: 'sk', AttributeType: 'S' },
          ],
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'sk', KeyType: 'RANGE' },
          ],
        }),
      );
      // It is answered before the table can be used.
      await waitUntilTableExists(
        { client: dynamodb, maxWaitTime: 10, minDelay: 0.005, maxDelay: 0.1 },
        { TableName: tableName },
      );
      return tableName;
    },

    async createTopic() {
      const topic = await sns.send(new CreateTopicCommand({ Name: randomUUID() }));
      const topicArn = given(topic.TopicArn);
      const queueUrl = await createQueue();
      const queue = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] }),
      );
      await sns.send(
        new SubscribeCommand({
          TopicArn: topicArn,
          Protocol: 'sqs',
          Endpoint: given(queue.Attributes?.QueueArn),
          Attributes: { RawMessageDelivery: 'true' },
        }),
      );
      return { topicArn, queueUrl };
    },

    async drain(queueUrl) {
      const messages: Message[] = [];
      for (;;) {
        const { Messages: received = [] } = await sqs.send(
          new ReceiveMessageCommand({
            QueueUrl: queueUrl,
            MaxNumberOfMessages: 10,
            MessageAttributeNames: ['All'],
          }),
        );
        if (received.length === 0) return messages;
        messages.push(...received);
        const entries = received.map(({ ReceiptHandle }, id) => ({
          Id: String(id),
          ReceiptHandle,
        }));
        await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }));
      }
    },

    async close() {
      for (const each of opened) each.destroy();
      await services.close();
    },
  };
}

function given(value: string | undefined): string {
  if (value === undefined) throw new TypeError('the embedded service left a name out');
  return value;
}
