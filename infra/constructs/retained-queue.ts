import { Duration, Validations, type RemovalPolicy } from 'aws-cdk-lib';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** The maximum that SQS allows. */
const RETENTION = Duration.days(14);

export interface RetainedQueueOptions {
  readonly removalPolicy: RemovalPolicy;
  readonly fifo?: boolean;
  /** Maximum of a message. Default: that of SQS. */
  readonly maxMessageBytes?: number;
}

/** Makes an encrypted, TLS-only queue that keeps failures for an operator for 14 days. */
export function makeRetainedQueue(
  scope: Construct,
  id: string,
  { removalPolicy, fifo = false, maxMessageBytes }: RetainedQueueOptions,
): sqs.Queue {
  const queue = new sqs.Queue(scope, id, {
    encryption: sqs.QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: RETENTION,
    removalPolicy,
    ...(fifo && { fifo }),
    ...(maxMessageBytes !== undefined && { maxMessageSizeBytes: maxMessageBytes }),
  });
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason: 'This queue is itself a dead-letter queue; nothing consumes it automatically.',
  });
  return queue;
}
