import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { createTable, keepLatest } from './latest-state.ts';
import { consumeQueue } from './sqs-consumer.ts';

// Keeps the latest state of everything in the table `mirror`, on a laptop or on AWS:
// npx node docs/examples/mirror.ts <topic ARN> [<bucket of large events>]

const [, , topicArn, namedBucket] = process.argv;
if (topicArn === undefined) {
  console.error('Usage: npx node docs/examples/mirror.ts <topic ARN> [<bucket of large events>]');
  process.exit(2);
}
const database = new DynamoDBClient();
const sns = new SNSClient();
// Both options make no difference on AWS.
const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
const s3 = new S3Client({ forcePathStyle: true });

/** Creates a queue that the topic may send to, and subscribes it. */
async function subscribe(topic: string): Promise<string> {
  const create = new CreateQueueCommand({ QueueName: 'mirror' });
  const { QueueUrl = '' } = await sqs.send(create);
  const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  const queueArn = (await sqs.send(read)).Attributes?.QueueArn ?? '';
  const Policy = JSON.stringify({
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: queueArn,
        Condition: { ArnEquals: { 'aws:SourceArn': topic } },
      },
    ],
  });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  await sns.send(
    new SubscribeCommand({
      TopicArn: topic,
      Protocol: 'sqs',
      Endpoint: queueArn,
      Attributes: { RawMessageDelivery: 'true' },
    }),
  );
  return QueueUrl;
}

/** The only bucket: that of large events, on a laptop. */
async function findBucket(): Promise<string> {
  const { Buckets = [] } = await s3.send(new ListBucketsCommand());
  return Buckets[0]?.Name ?? '';
}

/** Ends the program with one sentence. */
function fail({ message, name }: Error): never {
  const hint = 'Are the topic ARN, the region, credentials and addresses right?';
  console.error(`${topicArn} cannot be mirrored: ${message || name}. ${hint}`);
  process.exit(1);
}

await createTable(database, 'mirror').catch(fail);
const queueUrl = await subscribe(topicArn).catch(fail);
const bucket = namedBucket ?? (await findBucket().catch(fail));
console.error('Waiting for events; Ctrl-C stops.');

const stopping = new AbortController();
const stop = (): void => {
  stopping.abort();
};
process.once('SIGINT', stop);
// The reader of the output may go, as `head` does.
process.stdout.on('error', stop);
await consumeQueue({
  sqs,
  s3,
  bucket,
  queueUrl,
  signal: stopping.signal,
  handle: async (event) => {
    const isNew = await keepLatest(database, 'mirror', event);
    console.log(isNew ? 'applied' : 'ignored', event.type, event.subject);
  },
});
