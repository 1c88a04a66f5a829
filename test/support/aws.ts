import { randomUUID } from 'node:crypto';
import { CreateTableCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, GetObjectCommand } from '@aws-sdk/client-s3';
import { CreateTopicCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type Message,
} from '@aws-sdk/client-sqs';
import { S3ClaimCheck } from '../../functions/adapters/s3/claim-check.ts';
import type { ClaimCheck } from '../../functions/adapters/shared/claim-check.ts';
import { makeClients, type Clients } from '../../infra/local/embedded/clients.ts';
import { startEmbeddedServices } from '../../infra/local/embedded/embedded-services.ts';
import { sdkEnvironment } from '../../infra/local/embedded/endpoints.ts';

/** The embedded services, for tests. */
export type TestAws = Awaited<ReturnType<typeof startTestAws>>;

/** Starts DynamoDB, S3, SNS and SQS in this process. */
export async function startTestAws() {
  const services = await startEmbeddedServices();
  const clients = makeClients(services.endpoints);
  const { dynamodb, s3, sns, sqs } = clients;
  const opened = [clients];

  async function createQueue(attributes: Record<string, string> = {}): Promise<string> {
    const end = attributes['FifoQueue'] === 'true' ? '.fifo' : '';
    const QueueName = `${randomUUID()}${end}`;
    const command = new CreateQueueCommand({ QueueName, Attributes: attributes });
    return given((await sqs.send(command)).QueueUrl);
  }

  /** Makes a bucket. @returns its name. */
  async function createBucket(): Promise<string> {
    const Bucket = `bucket-${randomUUID()}`;
    await s3.send(new CreateBucketCommand({ Bucket }));
    return Bucket;
  }

  return {
    clients,
    /** The variables by which the SDK finds the services. */
    environment: sdkEnvironment(services.endpoints),
    createQueue,
    createBucket,

    /** A claim check on a bucket of its own. */
    async createClaimCheck(folder = 'events'): Promise<ClaimCheck> {
      return new S3ClaimCheck({ client: s3, bucket: await createBucket(), folder });
    },

    /** Reads the object at `s3://<bucket>/<key>`, with its content type. */
    async read(dataref: string) {
      const { hostname: Bucket, pathname } = new URL(dataref);
      const { Body, ContentType } = await s3.send(
        new GetObjectCommand({ Bucket, Key: pathname.slice(1) }),
      );
      return { text: (await Body?.transformToString()) ?? '', type: ContentType };
    },

    /** Clients of its own for a test that scripts their answers. */
    freshClients(): Clients {
      const fresh = makeClients(services.endpoints);
      opened.push(fresh);
      return fresh;
    },

    /** Makes a table with the keys `pk` and `sk`. @returns its name. */
    async createTable(): Promise<string> {
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

    /** Makes a topic, FIFO if asked, and a queue that gets its messages raw. */
    async createTopic({ fifo = false } = {}) {
      const Name = `${randomUUID()}${fifo ? '.fifo' : ''}`;
      const topic = await sns.send(
        new CreateTopicCommand({ Name, ...(fifo && { Attributes: { FifoTopic: 'true' } }) }),
      );
      const topicArn = given(topic.TopicArn);
      const queueUrl = await createQueue(fifo ? { FifoQueue: 'true' } : {});
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

    /** Takes all messages out of a queue, in the queue's order. */
    async drain(queueUrl: string): Promise<Message[]> {
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

    async close(): Promise<void> {
      for (const each of opened) each.destroy();
      await services.close();
    },
  };
}

function given(value: string | undefined): string {
  if (value === undefined) throw new TypeError('the embedded service left a name out');
  return value;
}
