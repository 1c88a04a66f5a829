import { Duration, Validations, type RemovalPolicy } from 'aws-cdk-lib';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { applyRemovalPolicy } from './apply-removal-policy.ts';
import type { OwnKey } from './own-key.ts';

/** The maximum that SQS allows. */
const RETENTION = Duration.days(14);

export interface RetainedQueueOptions {
  readonly removalPolicy: RemovalPolicy;
  readonly fifo?: boolean;
  /** Default: a key of SQS. */
  readonly key?: OwnKey | undefined;
  /** Whether the redrive policy of a queue names this one. Default: false, and SQS refuses any. */
  readonly isRedriveTarget?: boolean;
  /** Takes messages that were received too often. Default: the queue is itself one of dead letters. */
  readonly deadLetterQueue?: sqs.DeadLetterQueue;
  /** Default: that of SQS. */
  readonly visibilityTimeout?: Duration;
}

/** Makes an encrypted, TLS-only queue that keeps its messages for 14 days. */
export function makeRetainedQueue(
  scope: Construct,
  id: string,
  { removalPolicy, fifo = false, key, isRedriveTarget = false, ...options }: RetainedQueueOptions,
): sqs.Queue {
  const queue = new sqs.Queue(scope, id, {
    ...(key === undefined
      ? { encryption: sqs.QueueEncryption.SQS_MANAGED }
      : { encryption: sqs.QueueEncryption.KMS, encryptionMasterKey: key.key }),
    enforceSSL: true,
    retentionPeriod: RETENTION,
    ...(fifo && { fifo }),
    // A target cannot name its source: CloudFormation refuses two queues that name each other.
    ...(!isRedriveTarget && {
      redriveAllowPolicy: { redrivePermission: sqs.RedrivePermission.DENY_ALL },
    }),
    ...options,
  });
  applyRemovalPolicy(queue, removalPolicy);
  if (options.deadLetterQueue === undefined) {
    Validations.of(queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'This queue is itself a dead-letter queue; nothing consumes it automatically.',
    });
  }
  return queue;
}
