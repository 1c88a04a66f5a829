import type { WebhookAnswer, WebhookAttempt, WebhookMessage } from '../core/ports/webhook.ts';
import { bodyOf } from './body-of.ts';
import type { DeliverContext } from './deliver-context.ts';
import { nextAttempt } from './next-attempt.ts';
import { readEvent, type EventAttributes } from './read-event.ts';
import { sign } from './sign.ts';

/** A message comes back after this time if its endpoint is disabled. */
export const DISABLED_WAIT_MS = 60_000;

/** An attempt, and what it tells of the endpoint. */
export interface Delivery {
  readonly attempt: WebhookAttempt;
  /** Whether the endpoint was asked: a large event that cannot be read is no fault of it. */
  readonly isEndpoints: boolean;
}

const GONE = 410;

/** Makes one attempt to deliver a message, and plans the next one or gives up if it fails. It never throws. */
export async function deliverMessage(
  message: WebhookMessage,
  keys: readonly Uint8Array[],
  context: DeliverContext,
): Promise<Delivery> {
  const { now, telemetry } = context;
  const startedAt = now();
  const event = readEvent(message.body);
  const { answer, isEndpoints } = await ask(message, event, keys, context);
  const endedAt = now();
  const { status } = answer;
  const isDelivered = status !== undefined && status >= 200 && status < 300;
  const attempt = {
    id: event?.id ?? message.id,
    ...(event && { type: event.type }),
    ...(event?.subject !== undefined && { subject: event.subject }),
    at: startedAt,
    count: message.receiveCount,
    ...(status !== undefined && { status }),
    ...(!isDelivered && { reason: reasonOf(answer) }),
    durationMs: endedAt - startedAt,
  };
  if (isDelivered) {
    if (event?.cause === 'poll' && event.time !== undefined) {
      const ageMs = endedAt - Date.parse(event.time);
      // CloudWatch has no percentiles of negative values: clocks differ.
      telemetry.observe('WebhookDeliverySeconds', Math.max(0, ageMs / 1000) || 0);
    }
    return { attempt: { ...attempt, outcome: 'delivered' }, isEndpoints };
  }
  const end = await planNext(message, event !== undefined, answer, context);
  return { attempt: { ...attempt, ...end }, isEndpoints };
}

async function ask(
  message: WebhookMessage,
  event: EventAttributes | undefined,
  keys: readonly Uint8Array[],
  { webhook, endpoint, largeEvents, now }: DeliverContext,
): Promise<{ readonly answer: WebhookAnswer; readonly isEndpoints: boolean }> {
  if (event === undefined)
    return { answer: { text: 'The message is no event.' }, isEndpoints: false };
  let body: string;
  try {
    body = await bodyOf(event, message.body, largeEvents, webhook.maxEventBytes);
  } catch (error) {
    const { message: why } = error as Error;
    return { answer: { text: `The large event cannot be read: ${why}` }, isEndpoints: false };
  }
  const headers = {
    'content-type': 'application/cloudevents+json',
    ...sign({ id: event.id, body }, keys, now()),
  };
  return { answer: await endpoint.post({ headers, body }), isEndpoints: true };
}

function reasonOf({ status, text }: WebhookAnswer): string {
  if (status === undefined) return text;
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return `The endpoint answered ${status}.${redirect}${text === '' ? '' : ` ${text}`}`;
}

/** Hides the message until its next attempt, or puts it into the dead-letter queue. */
async function planNext(
  message: WebhookMessage,
  isEvent: boolean,
  answer: WebhookAnswer,
  { queue, telemetry, now }: DeliverContext,
): Promise<Pick<WebhookAttempt, 'outcome' | 'nextAt'>> {
  const isGone = answer.status === GONE;
  const failed = {
    messageId: message.id,
    count: message.receiveCount,
    firstAt: message.firstReceivedAt,
    now: now(),
    retryAfterMs: answer.retryAfterMs,
  };
  const waitMs = isGone ? DISABLED_WAIT_MS : isEvent ? nextAttempt(failed) : undefined;
  try {
    if (waitMs === undefined) {
      await queue.bury(message, reasonOf(answer));
      return { outcome: 'dead-lettered' };
    }
    await queue.hide([message.receipt], waitMs);
    return { outcome: isGone ? 'gone' : 'failed', nextAt: now() + waitMs };
  } catch (error) {
    // It comes back when the queue's own time-out ends.
    telemetry.error('A message could not be put back', error);
    return { outcome: isGone ? 'gone' : 'failed' };
  }
}
