import { CfnCondition, Fn, Stack, Token, type RemovalPolicy } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/config.ts';
import { DEFAULT_RETRIES, type SubscriberConfig } from '../config/subscribers.ts';
import { makeKeptQueue } from './retained-queue.ts';

/** What {@link Subscribers} are made from. */
export interface SubscribersProps {
  readonly config: Pick<StageConfig, 'subscribers' | 'topicType'>;
  readonly topic: sns.ITopic;
  /** What happens to undelivered events when a subscriber or the stack goes. */
  readonly removalPolicy: RemovalPolicy;
}

/**
 * The subscribers of the config: each gets its subscription, and a queue for what could not be
 * delivered to it. What lets the topic reach a queue stands in the queue's own policy. What lets it
 * invoke a function stands with the function, in its account and region: the stack can write it there
 * if that is where the stack is, else the function's owner has to.
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
    const { topic } = props;
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
    if (subscriber.protocol === 'lambda') allowInvoke(scope, subscriber.endpoint, topic);
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

/**
 * Lets the topic invoke a function of the stack's account and region. Where the stack will be may turn
 * out on deployment only; then a condition decides.
 */
function allowInvoke(scope: Construct, functionArn: string, topic: sns.ITopic): void {
  const [, , , region = '', account = ''] = functionArn.split(':');
  const stack = Stack.of(scope);
  const places: [ofStack: string, ofFunction: string][] = [
    [stack.account, account],
    [stack.region, region],
  ];
  const open = places.filter(([ofStack]) => Token.isUnresolved(ofStack));
  const isElsewhere = places.some((place) => !open.includes(place) && place[0] !== place[1]);
  if (isElsewhere) return;
  const permission = new lambda.CfnPermission(scope, 'Invoke', {
    action: 'lambda:InvokeFunction',
    functionName: functionArn,
    principal: 'sns.amazonaws.com',
    sourceArn: topic.topicArn,
  });
  if (open.length === 0) return;
  permission.cfnOptions.condition = new CfnCondition(scope, 'IsOurs', {
    expression: Fn.conditionAnd(...open.map(([here, there]) => Fn.conditionEquals(here, there))),
  });
}
