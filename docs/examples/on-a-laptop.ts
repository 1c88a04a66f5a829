import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { consumeQueue } from './sqs-consumer.ts';

// Prints the events that `npm start` publishes: npx node docs/examples/on-a-laptop.ts <address> <topic ARN>

const [, , endpoint, topicArn] = process.argv;
if (endpoint === undefined || topicArn === undefined) {
  console.error(
    'Usage: npx node docs/examples/on-a-laptop.ts <address of SNS, SQS and S3> <topic ARN>',
  );
  process.exit(2);
}
if (!/^https?:\/\//.test(endpoint)) {
  console.error(
    `${endpoint} is no address: it begins with http://, as the one that npm start prints.`,
  );
  process.exit(2);
}
const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
const settings = { endpoint, region: 'us-east-1', credentials };
const sqs = new SQSClient({ ...settings, useQueueUrlAsEndpoint: false });
const s3 = new S3Client({ ...settings, forcePathStyle: true });

const { QueueUrl: queueUrl = '' } = await sqs
  .send(new CreateQueueCommand({ QueueName: `laptop-${process.pid}` }))
  .catch((error: Error) => {
    console.error(
      `${endpoint} cannot be used: ${error.message || error.name}. Is it the address of SNS, SQS and S3 that npm start prints?`,
    );
    process.exit(1);
  });
const queue = await sqs.send(
  new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] }),
);
const subscribe = new SubscribeCommand({
  TopicArn: topicArn,
  Protocol: 'sqs',
  Endpoint: queue.Attributes?.QueueArn,
  Attributes: { RawMessageDelivery: 'true' },
});
await new SNSClient(settings).send(subscribe).catch((error: Error) => {
  console.error(
    `${topicArn} cannot be subscribed: ${error.message}. Is it the topic that npm start prints?`,
  );
  process.exit(1);
});
// On AWS an output of the stack names the bucket. Here it is the only one.
const { Buckets: [{ Name: bucket = '' } = {}] = [] } = await s3.send(new ListBucketsCommand());
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
  onError: (error) => {
    console.error(`${endpoint} cannot be used any more: ${(error as Error).message}.`);
    process.exitCode = 1;
    stop();
  },
  handle: ({ type, subject, data }) => {
    console.log(`${type} ${subject} ${data.changed.join(', ')}`.trimEnd());
    return Promise.resolve();
  },
});
