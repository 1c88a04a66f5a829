import { createHash } from 'node:crypto';
import { CfnCondition, Fn, Reference, Stack, Token, Tokenization } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct, DependencyGroup } from 'constructs';
import { nameProblem, normalEndpoint, type SubscriberConfig } from '../../config/subscribers.ts';
import type { Control } from '../control.ts';
import type { Parts } from '../make-function.ts';
import { PROTOCOLS } from '../resources.ts';
import { BusPipe } from './bus-pipe.ts';
import { makeDeadLetters, type OwnQueue } from './queues.ts';
import { Webhook } from './webhook.ts';

export interface SubscribersProps extends Parts {
  /** Lets operators see and switch webhooks. */
  readonly control: Control;
}

/**
 * The subscribers of the config, each with its subscription and a dead-letter queue, and what
 * delivers to it.
 *
 * The topic needs a permission of each endpoint. A queue's owner grants it in the queue's policy.
 * For a function in the stack's account and region the stack adds it; elsewhere its owner must.
 */
export class Subscribers extends Construct {
  /** Those of this stack, which have to exist before events are published. */
  readonly subscriptions = new DependencyGroup();
  /** Dead-letter queues by the subscriber's name. */
  readonly deadLetters = new Map<string, sqs.IQueue>();
  readonly webhooks = new Map<string, Webhook>();
  /** Pipes to buses by the subscriber's name. */
  readonly pipes = new Map<string, BusPipe>();
  readonly #endpoints = new Set<string>();
  readonly #props: SubscribersProps;

  constructor(scope: Construct, id: string, props: SubscribersProps) {
    super(scope, id);
    this.#props = props;
    for (const subscriber of props.config.subscribers) this.add(subscriber);
  }

  /**
   * Adds a subscription that an app has made.
   *
   * @returns its dead-letter queue: its own, or a new one.
   */
  addSubscription(name: string, subscription: sns.ITopicSubscription): sqs.IQueue {
    const { topic, config } = this.#props;
    const allowed = nameProblem(name);
    if (allowed !== undefined) throw cannotBeAdded(`"${name}"`, `its name is not ${allowed}`);
    const bound = subscription.bind(topic);
    const problem = deliveryProblem(bound, config.topicType);
    if (problem !== undefined) throw cannotBeAdded(name, problem);
    const scope = this.#scopeOf(name, bound);
    const deadLetterQueue = bound.deadLetterQueue ?? makeDeadLetters(scope, this.#props);
    this.deadLetters.set(name, deadLetterQueue);
    const added = topic.addSubscription({ bind: () => ({ ...bound, deadLetterQueue }) });
    if (bound.deadLetterQueue === undefined) added.node.addDependency(deadLetterQueue);
    // One of another stack needs this stack first.
    if (Stack.of(added) === Stack.of(this)) this.subscriptions.add(added);
    return deadLetterQueue;
  }

  /** Adds a subscriber of the config, and returns its dead-letter queue. */
  add(subscriber: SubscriberConfig): sqs.IQueue {
    const { name, protocol } = subscriber;
    const scope = this.#scopeOf(name, subscriber);
    const props = { ...this.#props, subscriber };
    if (protocol === 'webhook') {
      const webhook = new Webhook(scope, 'Webhook', props);
      this.webhooks.set(name, webhook);
      this.#props.control.addWebhook(webhook);
      return this.#keep(name, webhook.ownQueue);
    }
    if (protocol === 'eventBridge') {
      const pipe = new BusPipe(scope, 'Bus', props);
      this.pipes.set(name, pipe);
      return this.#keep(name, pipe.ownQueue);
    }
    const deadLetters = makeDeadLetters(scope, this.#props);
    this.deadLetters.set(name, deadLetters);
    this.#subscribe(scope, subscriber, deadLetters);
    return deadLetters;
  }

  /**
   * Makes the scope of a subscriber's resources. Its id does not hold the name: CloudFormation
   * would subscribe the endpoint under a new id before it deletes the old subscription, and SNS
   * refuses that.
   *
   * @throws Error if another subscriber has the name or the endpoint.
   */
  #scopeOf(
    name: string,
    { protocol, endpoint }: { protocol: string; endpoint: string },
  ): Construct {
    if (this.deadLetters.has(name)) throw cannotBeAdded(name, 'another one has its name');
    const key = endpointKey(this, endpoint);
    if (this.#endpoints.has(key)) {
      const advice = 'for two filters, use $or in one filterPolicy';
      throw cannotBeAdded(name, `another one has its endpoint; ${advice}`);
    }
    this.#endpoints.add(key);
    return new Construct(this, `${protocol}-${key}`);
  }

  #keep(name: string, { deadLetters, undelivered, subscription }: OwnQueue): sqs.IQueue {
    this.subscriptions.add(subscription);
    this.deadLetters.set(name, deadLetters);
    if (undelivered !== deadLetters) this.deadLetters.set(`${name}-undelivered`, undelivered);
    return deadLetters;
  }

  #subscribe(scope: Construct, subscriber: SubscriberConfig, deadLetters: sqs.Queue): void {
    const { topic } = this.#props;
    const { protocol, endpoint, filterPolicy, filterPolicyScope } = subscriber;
    const { rawMessageDelivery = false, subscriptionRoleArn } = subscriber;
    const subscription = new sns.CfnSubscription(scope, 'Subscription', {
      topicArn: topic.topicArn,
      protocol,
      endpoint,
      redrivePolicy: { deadLetterTargetArn: deadLetters.queueArn },
      ...(filterPolicy && { filterPolicy, filterPolicyScope }),
      ...(rawMessageDelivery && { rawMessageDelivery }),
      ...(subscriptionRoleArn !== undefined && { subscriptionRoleArn }),
    });
    // What is published before the topic may call the function or the dead letters would be lost.
    subscription.node.addDependency(deadLetters);
    this.subscriptions.add(subscription);
    if (protocol === 'lambda') allowInvoke(scope, endpoint, topic, subscription);
  }
}

/** Stands for an endpoint in ids: a URL may hold a secret, and a token has no text yet. */
function endpointKey(scope: Construct, endpoint: string): string {
  const own = Stack.of(scope);
  // Queues of two stacks may have the same logical id. The path of the own one may change.
  const stacks = Tokenization.reverseString(endpoint).tokens.map((token) => {
    const stack = Reference.isReference(token) ? Stack.of(token.target) : own;
    return stack === own ? '' : stack.node.path;
  });
  const resolved: unknown = own.resolve(normalEndpoint(endpoint));
  const text = JSON.stringify([resolved, ...stacks]);
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function cannotBeAdded(name: string, problem: string): Error {
  return new Error(`The subscriber ${name} cannot be added: ${problem}.`);
}

/** Why a topic does not deliver to a subscription of the CDK; undefined if it does. */
function deliveryProblem(
  { protocol, subscriberScope }: sns.TopicSubscriptionConfig,
  topicType: SubscribersProps['config']['topicType'],
): string | undefined {
  const protocols = topicType === 'fifo' ? ['sqs'] : PROTOCOLS;
  if (!protocols.includes(protocol)) {
    return `its protocol is "${protocol}"; this topic delivers to ${protocols.join(', ')}`;
  }
  // A subscription of a queue has the queue as its scope.
  const { fifo = false } = (subscriberScope ?? {}) as Partial<sqs.IQueue>;
  return fifo && topicType !== 'fifo'
    ? 'a standard topic does not deliver to FIFO queues; topicType "fifo" does'
    : undefined;
}

/**
 * Lets the topic invoke a function of the stack's account and region, before it is subscribed. If
 * account or region are known only at deployment, a condition decides. The owner of a function
 * elsewhere has to give the permission.
 */
function allowInvoke(
  scope: Construct,
  functionArn: string,
  topic: sns.ITopic,
  subscription: sns.CfnSubscription,
): void {
  const stack = Stack.of(scope);
  // An ARN that is known only at deployment is that of a function in this app.
  const [, , , region = stack.region, account = stack.account] = functionArn.split(':');
  const places: [ofStack: string, ofFunction: string][] = [
    [stack.account, account],
    [stack.region, region],
  ];
  const unresolved = places.filter(([ofStack]) => Token.isUnresolved(ofStack));
  const isElsewhere = places.some((place) => !unresolved.includes(place) && place[0] !== place[1]);
  if (isElsewhere) return;
  const permission = new lambda.CfnPermission(scope, 'Invoke', {
    action: 'lambda:InvokeFunction',
    functionName: functionArn,
    principal: 'sns.amazonaws.com',
    sourceArn: topic.topicArn,
  });
  if (unresolved.length === 0) {
    subscription.node.addDependency(permission);
    return;
  }
  const condition = new CfnCondition(scope, 'IsInStack', {
    expression: Fn.conditionAnd(
      ...unresolved.map(([ofStack, ofFunction]) => Fn.conditionEquals(ofStack, ofFunction)),
    ),
  });
  permission.cfnOptions.condition = condition;
  // CloudFormation refuses a DependsOn of a resource that a condition leaves out. A reference
  // orders as well.
  const reference = Fn.conditionIf(condition.logicalId, permission.ref, '');
  subscription.addMetadata('InvokePermission', reference);
}
