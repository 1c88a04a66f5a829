import type { RemovalPolicy } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { StageConfig } from '../../config/config.ts';
import type { OwnKey } from '../own-key.ts';
import { makeRetainedQueue } from '../retained-queue.ts';

export interface DeadLettersProps {
  readonly config: Pick<StageConfig, 'topicType'>;
  readonly topic: sns.ITopic;
  /** Decides whether undelivered events outlive their subscriber and the stack. */
  readonly removalPolicy: RemovalPolicy;
  /** Encrypts them, if it is set. */
  readonly key?: OwnKey | undefined;
}

/** A FIFO topic requires FIFO dead-letter queues, a standard topic standard ones. */
export function makeDeadLetters(
  scope: Construct,
  props: DeadLettersProps,
  id = 'DeadLetters',
  isRedriveTarget = false,
): sqs.Queue {
  const { topic, config, removalPolicy, key } = props;
  const queue = makeRetainedQueue(scope, id, {
    removalPolicy,
    key,
    isRedriveTarget,
    fifo: config.topicType === 'fifo',
  });
  allowTopic(queue, topic, 'UndeliveredEvents');
  return queue;
}

/** Lets the topic, and no other one, send to a queue. */
export function allowTopic(queue: sqs.Queue, topic: sns.ITopic, sid: string): void {
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
