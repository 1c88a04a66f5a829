import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { ChangeEvent } from 'sitecast-events';
import { consumeQueue } from '../../../docs/examples/sqs-consumer.ts';
import { subscribe } from '../../../infra/local/stack/subscriber.ts';
import type { TestAws } from '../../support/aws.ts';

/** The bucket from which {@link consumeAll} reads large events. */
export const BUCKET = 'large-events';

/** Creates a queue and subscribes it as the guide says. @returns its URL. */
export async function subscribeQueue(
  { clients }: TestAws,
  topicArn: string,
  filterPolicy: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return (await subscribe(clients, topicArn, randomUUID(), filterPolicy)).queueUrl;
}

/**
 * Runs the example consumer until the queue is empty and no message is in flight.
 *
 * @returns the handled events in their order.
 */
export async function consumeAll(
  { clients }: TestAws,
  queueUrl: string,
  handle: (event: ChangeEvent) => Promise<unknown> = () => Promise.resolve(),
): Promise<ChangeEvent[]> {
  const handled: ChangeEvent[] = [];
  const stopping = new AbortController();
  const consuming = consumeQueue({
    sqs: clients.sqs,
    s3: clients.s3,
    bucket: BUCKET,
    queueUrl,
    waitSeconds: 0,
    signal: stopping.signal,
    handle: async (event) => {
      await handle(event);
      handled.push(event);
    },
  });
  while (await holdsMessages(clients, queueUrl)) await sleep(5);
  stopping.abort();
  await consuming;
  return handled;
}

async function holdsMessages({ sqs }: TestAws['clients'], queueUrl: string): Promise<boolean> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
  );
  const waiting = Number(Attributes.ApproximateNumberOfMessages);
  return waiting + Number(Attributes.ApproximateNumberOfMessagesNotVisible) > 0;
}
