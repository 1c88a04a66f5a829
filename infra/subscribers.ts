import type { RemovalPolicy } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StageConfig } from './config.ts';
import { DEFAULT_RETRIES, type SubscriberConfig } from './config/subscribers.ts';
import { makeKeptQueue } from './kept-queue.ts';

/** What {@link Subscribers} are made from. */
export interface SubscribersProps {
  readonly config: Pick<StageConfig, 'account' | 'subscribers' | 'topicType'>;
  readonly topic: sns.ITopic;
  /** What happens to undelivered events when a subscriber or the stack goes. */
  readonly removalPolicy: RemovalPolicy;
}

/**
 * The subscribers of the config: each gets its subscription, and a queue for what could not be
 * delivered to it. What lets the topic reach a queue stands in the queue's own policy.
 */
export class Subscribers extends Construct {
  /** Queues of what could not be delivered, by the subscriber's name. */
  readonly deadLetters: ReadonlyMap<string, sqs.Queue>;

  constructor(scope: Construct, id: string, props: SubscribersProps) {
    super(scope, id);
    const { subscribers } = props.config;
    this.deadLetters = new Map(
      subscribers.map((subscriber) => [subscriber.name, this.#subscribe(subscriber, props)]),
    );
  }

  #subscribe(subscriber: SubscriberConfig, props: SubscribersProps): sqs.Queue {
    const { topic, config } = props;
    const scope = new Construct(this, subscriber.name);
    const deadLetters = makeDeadLetters(scope, props);
    new sns.CfnSubscription(scope, 'Subscription', {
      topicArn: topic.topicArn,
      protocol: subscriber.protocol,
      endpoint: subscriber.endpoint,
      redrivePolicy: { deadLetterTargetArn: deadLetters.queueArn },
      ...(subscriber.filterPolicy && {
        filterPolicy: subscriber.filterPolicy,
        filterPolicyScope: subscriber.filterPolicyScope,
      }),
      ...(subscriber.rawMessageDelivery && { rawMessageDelivery: true }),
      ...(subscriber.subscriptionRoleArn !== undefined && {
        subscriptionRoleArn: subscriber.subscriptionRoleArn,
      }),
      ...(subscriber.protocol === 'https' && { deliveryPolicy: deliveryPolicyOf(subscriber) }),
    });
    if (subscriber.protocol === 'lambda' && isOurs(subscriber.endpoint, config.account)) {
      new lambda.CfnPermission(scope, 'Invoke', {
        action: 'lambda:InvokeFunction',
        functionName: subscriber.endpoint,
        principal: 'sns.amazonaws.com',
        sourceArn: topic.topicArn,
      });
    }
    return deadLetters;
  }
}

/** A FIFO topic puts what it cannot deliver into FIFO queues, a standard topic into standard ones. */
function makeDeadLetters(
  scope: Construct,
  { topic, config, removalPolicy }: SubscribersProps,
): sqs.Queue {
  const fifo = config.topicType === 'fifo';
  const queue = makeKeptQueue(scope, 'DeadLetters', { removalPolicy, fifo });
  queue.addToResourcePolicy(
    new iam.PolicyStatement({
      sid: 'WhatTheTopicCouldNotDeliver',
      principals: [new iam.ServicePrincipal('sns.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { 'aws:SourceArn': topic.topicArn } },
    }),
  );
  return queue;
}

function deliveryPolicyOf({ retries = DEFAULT_RETRIES }: SubscriberConfig): object {
  return {
    healthyRetryPolicy: {
      numRetries: retries.count,
      minDelayTarget: retries.minDelaySeconds,
      maxDelayTarget: retries.maxDelaySeconds,
      backoffFunction: 'exponential',
    },
    // Left to itself, SNS says text/plain.
    requestPolicy: { headerContentType: 'application/json' },
  };
}

/** Whether a function is in the stack's account: in another one, its owner lets the topic invoke it. */
function isOurs(functionArn: string, account: string | undefined): boolean {
  return account === undefined || functionArn.split(':')[4] === account;
}
