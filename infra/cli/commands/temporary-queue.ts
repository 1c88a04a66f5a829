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

/** A queue that is subscribed to the topic for a while. */
export class TemporaryQueue {
  readonly name = `sitecast-listen-${randomBytes(6).toString('hex')}`;
  readonly #topicArn: string;
  readonly #sns: SNSClient;
  readonly #sqs: SQSClient;
  #url: string | undefined;
  #subscriptionArn: string | undefined;

  constructor(stack: Stack, topicArn: string) {
    this.#topicArn = topicArn;
    this.#sns = new SNSClient(stack.settings('sns'));
    this.#sqs = new SQSClient(stack.settings('sqs'));
  }

  async open(filterPolicy: object | undefined): Promise<void> {
    const attributes = {
      MessageRetentionPeriod: RETENTION_SECONDS,
      ReceiveMessageWaitTimeSeconds: LONG_POLL_SECONDS,
      Policy: JSON.stringify(policyFor(this.#topicArn)),
    };
    const url = await createQueue(this.#sqs, this.name, this.#topicArn, attributes);
    this.#url = url;
    await delay(SETTLE_MS);
    const clients = { sns: this.#sns, sqs: this.#sqs };
    this.#subscriptionArn = await subscribeQueue(clients, this.#topicArn, url, filterPolicy);
  }

  /** Waits for messages, and deletes them. Returns none once the signal is aborted. */
  async receive(signal: AbortSignal): Promise<string[]> {
    const messages = await takeMessages(this.#sqs, this.#url ?? '', signal).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error;
        return [];
      },
    );
    return messages.map(({ Body = '' }) => Body);
  }

  /**
   * Removes queue and subscription, each also if the other fails. @returns whether nothing is left.
   */
  async remove(): Promise<boolean> {
    const unsubscribe = new UnsubscribeCommand({ SubscriptionArn: this.#subscriptionArn });
    const outcomes = await Promise.allSettled([
      this.#subscriptionArn !== undefined && this.#sns.send(unsubscribe),
      this.#url !== undefined && this.#sqs.send(new DeleteQueueCommand({ QueueUrl: this.#url })),
    ]);
    return outcomes.every(({ status }) => status === 'fulfilled');
  }
}

/** Admits this topic only. */
function policyFor(topicArn: string): object {
  const Condition = { ArnEquals: { 'aws:SourceArn': topicArn } };
  const Principal = { Service: 'sns.amazonaws.com' };
  const allow = { Effect: 'Allow', Principal, Action: 'sqs:SendMessage', Resource: '*', Condition };
  return { Version: '2012-10-17', Statement: [allow] };
}
