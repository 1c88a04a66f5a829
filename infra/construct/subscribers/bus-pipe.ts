import { Duration, Stack } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { Construct } from 'constructs';
import type { SubscriberConfig } from '../../config/subscribers.ts';
import type { Parts } from '../make-function.ts';
import { allow, inAccount, makeRole } from '../permissions.ts';
import { OwnQueue } from './queues.ts';

export interface BusPipeProps extends Parts {
  readonly subscriber: SubscriberConfig;
}

/** An event on the bus: paths into a message of the queue, whose body is the CloudEvent. */
const DETAIL = '<$.body>';
const DETAIL_TYPE = '$.body.type';

/** Long after a call of PutEvents has been given up. */
const VISIBILITY_TIMEOUT = Duration.minutes(2);
/** A day of attempts, for a bus or a key that somebody has to repair. */
const MAX_RECEIVE_COUNT = 720;

/** Brings the topic's events to a bus of EventBridge: a queue, and a pipe from it to the bus. */
export class BusPipe extends Construct {
  readonly ownQueue: OwnQueue;
  /** Name of the pipe, as in its metrics. */
  readonly name: string;

  constructor(scope: Construct, id: string, props: BusPipeProps) {
    super(scope, id);
    const { subscriber, serviceName } = props;
    this.ownQueue = new OwnQueue(this, 'Events', {
      ...props,
      visibilityTimeout: VISIBILITY_TIMEOUT,
      maxReceiveCount: MAX_RECEIVE_COUNT,
    });
    const role = this.#makeRole(props);
    const pipe = new CfnPipe(this, 'Pipe', {
      description: `Brings changes to the bus of ${subscriber.name}`,
      roleArn: role.roleArn,
      source: this.ownQueue.queue.queueArn,
      // An event that the bus refuses holds up no other one.
      sourceParameters: { sqsQueueParameters: { batchSize: 1 } },
      target: subscriber.endpoint,
      targetParameters: {
        inputTemplate: DETAIL,
        eventBridgeEventBusParameters: {
          source: sourceOf(serviceName),
          detailType: DETAIL_TYPE,
        },
      },
    });
    // A pipe is not created without its permissions.
    pipe.node.addDependency(role);
    this.name = pipe.ref;
  }

  #makeRole({ subscriber, key }: BusPipeProps): iam.Role {
    const { account, region, partition } = Stack.of(this);
    const description = `Lets the pipe bring changes to the bus of ${subscriber.name}`;
    const role = makeRole(this, 'Role', 'pipes', description, {
      StringEquals: inAccount(this),
      ArnLike: { 'aws:SourceArn': `arn:${partition}:pipes:${region}:${account}:pipe/*` },
    });
    const actions = ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];
    allow(role, actions, this.ownQueue.queue.queueArn);
    allow(role, ['events:PutEvents'], subscriber.endpoint);
    key?.grantRead(role, 'sqs');
    return role;
  }
}

/** The `source` of the events on the bus: `sitecast.prod`. */
export function sourceOf(serviceName: string): string {
  return `sitecast.${serviceName.replace(/^sitecast-/, '')}`;
}
