import { bodyOf } from './body-of.ts';
import type { DeliverContext } from './deliver-context.ts';
import type { WebhookAnswer, WebhookAttempt, WebhookMessage } from './ports.ts';
import { readEvent, type EventAttributes } from './read-event.ts';
import { MAX_ATTEMPTS, retryWait } from './retry-wait.ts';
import { sign } from './sign.ts';

/** An attempt, and what it tells of the endpoint. */
export interface Delivery {
  readonly message: WebhookMessage;
  readonly attempt: WebhookAttempt;
  /** Whether the endpoint was asked: a large event that cannot be read is no fault of it. */
  readonly isEndpoints: boolean;
}

const GONE = 410;

/**
 * Makes one attempt to deliver a message. If it fails, the message waits for the next one or
 * becomes a dead letter. It never throws.
 */
export async function deliverMessage(
  message: WebhookMessage,
  keys: readonly Uint8Array[],
  context: DeliverContext,
): Promise<Delivery> {
  const { now } = context;
  const startedAt = now();
  const event = readEvent(message.body);
  const { answer, isEndpoints } = await ask(message, event, keys, context);
  const endedAt = now();
  const { status } = answer;
  const isDelivered = status !== undefined && status >= 200 && status < 300;
  if (isDelivered) observeAge(event, endedAt, context);
  const end = isDelivered
    ? { outcome: 'delivered' as const }
    : await putBack(message, event, answer, context);
  const attempt = {
    id: event?.id ?? message.id,
    ...(event && { type: event.type }),
    ...(event?.subject !== undefined && { subject: event.subject }),
    at: startedAt,
    count: message.receiveCount,
    ...(status !== undefined && { status }),
    ...(!isDelivered && { reason: reasonOf(answer) }),
    durationMs: endedAt - startedAt,
    ...end,
  };
  return { message, attempt, isEndpoints };
}

function observeAge(
  event: EventAttributes | undefined,
  deliveredAt: number,
  { telemetry }: DeliverContext,
): void {
  if (event?.cause !== 'poll' || event.time === undefined) return;
  const ageMs = deliveredAt - Date.parse(event.time);
  // CloudWatch has no percentiles of negative values: clocks differ.
  telemetry.observe('WebhookDeliverySeconds', Math.max(0, ageMs / 1000) || 0);
}

async function ask(
  message: WebhookMessage,
  event: EventAttributes | undefined,
  keys: readonly Uint8Array[],
  { endpoint, largeEvents, now }: DeliverContext,
): Promise<{ readonly answer: WebhookAnswer; readonly isEndpoints: boolean }> {
  if (event === undefined)
    return { answer: { text: 'The message is no event.' }, isEndpoints: false };
  let body: string;
  try {
    body = await bodyOf(event, message.body, largeEvents);
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
  // Node's messages repeat the code that precedes them.
  if (status === undefined) return text.replace(/\b(E[A-Z]+) (?=.*\b\1\b)/, '');
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return `The endpoint answered ${status}${text === '' ? '' : `: "${text}"`}.${redirect}`;
}

type End = Pick<WebhookAttempt, 'outcome' | 'nextAt'>;

/** Hides a message that was not delivered until its next attempt, or makes it a dead letter. */
async function putBack(
  message: WebhookMessage,
  event: EventAttributes | undefined,
  answer: WebhookAnswer,
  context: DeliverContext,
): Promise<End> {
  const { queue, now, random } = context;
  const { receiveCount } = message;
  const isGone = answer.status === GONE;
  if (event === undefined || (receiveCount >= MAX_ATTEMPTS && !isGone)) {
    const bury = () => queue.bury(message, reasonOf(answer));
    return { outcome: (await isTaken(bury, context)) ? 'dead-lettered' : 'failed' };
  }
  const waitMs = retryWait(receiveCount, random(), answer.retryAfterMs);
  const nextAt = now() + waitMs;
  const isHidden = await hide(message, waitMs, context);
  return { outcome: isGone ? 'gone' : 'failed', ...(isHidden && { nextAt }) };
}

/**
 * Hides a message.
 *
 * @returns whether the queue did it. Otherwise the message comes back after the queue's own time-out.
 */
export function hide(
  { receipt }: WebhookMessage,
  waitMs: number,
  context: DeliverContext,
): Promise<boolean> {
  return isTaken(() => context.queue.hide(receipt, waitMs), context);
}

async function isTaken(
  put: () => Promise<void>,
  { telemetry }: Pick<DeliverContext, 'telemetry'>,
): Promise<boolean> {
  try {
    await put();
    return true;
  } catch (error) {
    telemetry.error('A message could not be put back', error);
    return false;
  }
}
