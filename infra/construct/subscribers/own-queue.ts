import type { Duration } from 'aws-cdk-lib';
import * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { SubscriberConfig } from '../../config/subscribers.ts';
import { makeRetainedQueue } from '../retained-queue.ts';
import { allowTopic, makeDeadLetters, type DeadLettersProps } from './dead-letters.ts';

export interface OwnQueueProps extends DeadLettersProps {
  readonly subscriber: Pick<SubscriberConfig, 'name' | 'filterPolicy' | 'filterPolicyScope'>;
  /** Time for one attempt to deliver what was received. */
  readonly visibilityTimeout: Duration;
  /** Attempts after which an event is a dead letter. */
  readonly maxReceiveCount: number;
}

/**
 * A standard queue of the stack that is subscribed to the topic for a webhook or a bus, with its
 * dead letters. A FIFO topic delivers to standard queues as well, without a promise of order.
 */
export class OwnQueue extends Construct {
  readonly queue: sqs.Queue;
  /** Events that the queue's consumer could not deliver. */
  readonly deadLetters: sqs.Queue;
  /** Events that the topic could not bring to the queue: {@link deadLetters}, if SNS and SQS allow it. */
  readonly undelivered: sqs.Queue;
  readonly subscription: sns.CfnSubscription;

  constructor(scope: Construct, id: string, props: OwnQueueProps) {
    super(scope, id);
    const { subscriber, topic, config, visibilityTimeout, maxReceiveCount } = props;
    const { removalPolicy, key } = props;
    const { filterPolicy, filterPolicyScope } = subscriber;
    // Dead letters of a queue are of its type, those of a subscription of the topic's.
    const isStandard = config.topicType !== 'fifo';
    const undelivered = isStandard ? 'DeadLetters' : 'Undelivered';
    this.undelivered = makeDeadLetters(this, props, undelivered, isStandard);
    this.deadLetters = isStandard
      ? this.undelivered
      : makeRetainedQueue(this, 'DeadLetters', { removalPolicy, key, isRedriveTarget: true });
    this.queue = makeRetainedQueue(this, 'Queue', {
      removalPolicy,
      key,
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
    // What is published before the topic may send to the queue would be undelivered, and without dead letters lost.
    this.subscription.node.addDependency(this.queue, this.undelivered);
  }
}
