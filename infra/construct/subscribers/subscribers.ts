import { createHash } from 'node:crypto';
import { Reference, Stack, Token, Tokenization } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct, DependencyGroup } from 'constructs';
import { normalEndpoint, type SubscriberConfig } from '../../config/subscribers.ts';
import type { Parts } from '../make-function.ts';
import { BusPipe } from './bus-pipe.ts';
import { makeDeadLetters, type OwnQueue } from './queues.ts';
import { Webhook } from './webhook.ts';

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
  readonly #props: Parts;

  constructor(scope: Construct, id: string, props: Parts) {
    super(scope, id);
    this.#props = props;
    for (const subscriber of props.config.subscribers) this.#add(subscriber);
  }

  #add(subscriber: SubscriberConfig): void {
    const { name, protocol, endpoint } = subscriber;
    // Its id does not hold the name: CloudFormation would subscribe the endpoint under a new id
    // before it deletes the old subscription, and SNS refuses that.
    const scope = new Construct(this, `${protocol}-${endpointKey(this, endpoint)}`);
    const props = { ...this.#props, subscriber };
    if (protocol === 'webhook') {
      const webhook = new Webhook(scope, 'Webhook', props);
      this.webhooks.set(name, webhook);
      this.#keep(name, webhook.ownQueue);
    } else if (protocol === 'eventBridge') {
      const pipe = new BusPipe(scope, 'Bus', props);
      this.pipes.set(name, pipe);
      this.#keep(name, pipe.ownQueue);
    } else {
      const deadLetters = makeDeadLetters(scope, this.#props);
      this.deadLetters.set(name, deadLetters);
      this.#subscribe(scope, subscriber, deadLetters);
    }
  }

  #keep(name: string, { deadLetters, undelivered, subscription }: OwnQueue): void {
    this.subscriptions.add(subscription);
    this.deadLetters.set(name, deadLetters);
    if (undelivered !== deadLetters) this.deadLetters.set(`${name}-undelivered`, undelivered);
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
    // Events published before the topic may call the function or the dead letters would be lost.
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

/**
 * Lets the topic invoke a function of the stack's account and region, before it is subscribed. The
 * owner of a function elsewhere has to give the permission.
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
  const isElsewhere = (own: string, its: string): boolean =>
    !Token.isUnresolved(own) && own !== its;
  if (isElsewhere(stack.account, account) || isElsewhere(stack.region, region)) return;
  const permission = new lambda.CfnPermission(scope, 'Invoke', {
    action: 'lambda:InvokeFunction',
    functionName: functionArn,
    principal: 'sns.amazonaws.com',
    sourceArn: topic.topicArn,
  });
  subscription.node.addDependency(permission);
}
