import { Duration, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { SubscriberConfig } from '../../config/subscribers.ts';
import type { Parts } from '../make-function.ts';
import { applyRemovalPolicy } from '../permissions.ts';

type QueueParts = Pick<Parts, 'config' | 'topic' | 'removalPolicy' | 'key'>;

interface QueueOptions {
  readonly fifo?: boolean;
  /** Whether the redrive policy of a queue names this one. Default: false, and SQS refuses any. */
  readonly isRedriveTarget?: boolean;
  /** Takes messages that were received too often. Default: the queue has dead letters itself. */
  readonly deadLetterQueue?: sqs.DeadLetterQueue;
  /** Default: that of SQS. */
  readonly visibilityTimeout?: Duration;
}

/** The maximum that SQS allows. */
const RETENTION = Duration.days(14);

/** Makes an encrypted, TLS-only queue that keeps its messages for 14 days. */
function makeQueue(
  scope: Construct,
  id: string,
  { removalPolicy, key }: Pick<QueueParts, 'removalPolicy' | 'key'>,
  { fifo = false, isRedriveTarget = false, ...options }: QueueOptions,
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

/** Makes the dead letters of a subscription. They have to be of the type of the topic. */
export function makeDeadLetters(
  scope: Construct,
  parts: QueueParts,
  id = 'DeadLetters',
  isRedriveTarget = false,
): sqs.Queue {
  const fifo = parts.config.topicType === 'fifo';
  const queue = makeQueue(scope, id, parts, { fifo, isRedriveTarget });
  allowTopic(queue, parts.topic, 'UndeliveredEvents');
  return queue;
}

/** Lets the topic, and no other one, send to a queue. */
function allowTopic(queue: sqs.Queue, topic: sns.ITopic, sid: string): void {
  queue.addToResourcePolicy(
    new iam.PolicyStatement({
      sid,
      principals: [new iam.ServicePrincipal('sns.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { 'aws:SourceArn': topic.topicArn } },
    }),
  );
}

export interface OwnQueueProps extends QueueParts {
  readonly subscriber: SubscriberConfig;
  /** Time for one attempt to deliver the received messages. */
  readonly visibilityTimeout: Duration;
  /** Attempts after which an event is a dead letter. */
  readonly maxReceiveCount: number;
}

/**
 * A standard queue between the topic and a webhook or a bus, with its dead letters. A FIFO topic
 * delivers to standard queues as well, without a promise of order.
 */
export class OwnQueue extends Construct {
  readonly queue: sqs.Queue;
  /** Events that the queue's consumer could not deliver. */
  readonly deadLetters: sqs.Queue;
  /** Events that the topic could not bring to the queue. With a standard topic: the same queue. */
  readonly undelivered: sqs.Queue;
  readonly subscription: sns.CfnSubscription;

  constructor(scope: Construct, id: string, props: OwnQueueProps) {
    super(scope, id);
    const { subscriber, topic, config, visibilityTimeout, maxReceiveCount } = props;
    const { filterPolicy, filterPolicyScope } = subscriber;
    // Dead letters of a queue are of its type, those of a subscription of the topic's.
    const isStandard = config.topicType !== 'fifo';
    const undelivered = isStandard ? 'DeadLetters' : 'Undelivered';
    this.undelivered = makeDeadLetters(this, props, undelivered, isStandard);
    this.deadLetters = isStandard
      ? this.undelivered
      : makeQueue(this, 'DeadLetters', props, { isRedriveTarget: true });
    this.queue = makeQueue(this, 'Queue', props, {
      visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
    allowTopic(this.queue, topic, 'Events');
    this.subscription = new sns.CfnSubscription(this, 'Subscription', {
      topicArn: topic.topicArn,
      protocol: 'sqs',
      endpoint: this.queue.queueArn,
      rawMessageDelivery: true,
      redrivePolicy: { deadLetterTargetArn: this.undelivered.queueArn },
      ...(filterPolicy && { filterPolicy, filterPolicyScope }),
    });
    // Events published before the topic may send to the queue would be lost.
    this.subscription.node.addDependency(this.queue, this.undelivered);
  }
}
