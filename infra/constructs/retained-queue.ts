import { Duration, Validations, type RemovalPolicy } from 'aws-cdk-lib';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** How long queues keep what is in them: the longest that SQS allows. */
const RETENTION = Duration.days(14);

/** What a queue made by {@link makeKeptQueue} may differ in. */
export interface KeptQueueOptions {
  readonly removalPolicy: RemovalPolicy;
  readonly fifo?: boolean;
}

/** A queue in which failed things are kept for a human: encrypted, by TLS only, for 14 days. */
export function makeKeptQueue(
  scope: Construct,
  id: string,
  { removalPolicy, fifo = false }: KeptQueueOptions,
): sqs.Queue {
  const queue = new sqs.Queue(scope, id, {
    encryption: sqs.QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: RETENTION,
    removalPolicy,
    ...(fifo && { fifo }),
  });
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason: 'This queue is itself where failed things end; nothing consumes it automatically.',
  });
  return queue;
}
