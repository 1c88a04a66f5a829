import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SNSClient, UnsubscribeCommand } from '@aws-sdk/client-sns';
import { DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Stack } from '../find-stack.ts';
import { createQueue, subscribeQueue, takeMessages } from './subscribed-queue.ts';

/** Time for which a queue keeps its messages after its owner was killed. */
const RETENTION_SECONDS = '300';
const LONG_POLL_SECONDS = '10';
/** AWS asks for this time between the creation of a queue and its use. */
const SETTLE_MS = 1000;

interface Listener {
  readonly filterPolicy: object | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Prints what it has subscribed, and what is left of that at the end. */
  readonly print: (text: string) => void;
}

/** Receives the events of a topic by a queue of its own, which it removes at the end. */
export async function* receiveEvents(stack: Stack, topicArn: string, listener: Listener) {
  const { filterPolicy, signal, print } = listener;
  const name = `sitecast-listen-${randomBytes(6).toString('hex')}`;
  const sns = new SNSClient(stack.settings('sns'));
  const sqs = new SQSClient(stack.settings('sqs'));
  let url: string | undefined;
  let SubscriptionArn: string | undefined;
  try {
    url = await createQueue(sqs, name, topicArn, {
      MessageRetentionPeriod: RETENTION_SECONDS,
      ReceiveMessageWaitTimeSeconds: LONG_POLL_SECONDS,
      Policy: JSON.stringify(policyFor(topicArn)),
    });
    await delay(SETTLE_MS);
    SubscriptionArn = await subscribeQueue({ sns, sqs }, topicArn, url, filterPolicy);
    print(`Listening to ${stack.name} by the queue ${name}. Press Ctrl-C to stop.\n`);
    while (!signal.aborted) {
      const messages = await takeMessages(sqs, url, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        return [];
      });
      for (const { Body = '' } of messages) yield Body;
    }
  } finally {
    // Each also if the other fails.
    const outcomes = await Promise.allSettled([
      SubscriptionArn !== undefined && sns.send(new UnsubscribeCommand({ SubscriptionArn })),
      url !== undefined && sqs.send(new DeleteQueueCommand({ QueueUrl: url })),
    ]);
    const isGone = outcomes.every(({ status }) => status === 'fulfilled');
    print(
      isGone ? `The queue and its subscription are removed.\n` : `The queue ${name} may be left.\n`,
    );
  }
}

/** Admits this topic only. */
function policyFor(topicArn: string): object {
  const Condition = { ArnEquals: { 'aws:SourceArn': topicArn } };
  const Principal = { Service: 'sns.amazonaws.com' };
  const allow = { Effect: 'Allow', Principal, Action: 'sqs:SendMessage', Resource: '*', Condition };
  return { Version: '2012-10-17', Statement: [allow] };
}
