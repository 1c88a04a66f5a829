import { MAX_ATTEMPTS, retryWait } from './next-attempt.ts';
import type { DeliverPorts, WebhookAnswer, WebhookAttempt, WebhookMessage } from './ports.ts';
import { readEvent, type EventAttributes } from './read-event.ts';
import { sign } from './sign.ts';

/** An attempt to deliver a message. */
export interface Delivery {
  readonly message: WebhookMessage;
  readonly attempt: WebhookAttempt;
  /** Whether the endpoint was asked: a large event that cannot be read is no fault of it. */
  readonly isEndpoints: boolean;
}

type Asked = WebhookAnswer & Pick<Delivery, 'isEndpoints'>;

const GONE = 410;

/** A large event is sent whole up to this size. Ten of them took 365 MB of the function's 512. */
const MAX_WHOLE_BYTES = 1_000_000;

/**
 * Makes one attempt to deliver a message. If it fails, the message waits for the next one or
 * becomes a dead letter. It never throws.
 */
export async function deliverMessage(
  message: WebhookMessage,
  keys: readonly Uint8Array[],
  ports: DeliverPorts,
): Promise<Delivery> {
  const { now } = ports;
  const startedAt = now();
  const event = readEvent(message.body);
  const { isEndpoints, ...answer } = await ask(event, message.body, keys, ports);
  const endedAt = now();
  const { status } = answer;
  const isDelivered = status !== undefined && status >= 200 && status < 300;
  if (isDelivered) observeAge(event, endedAt, ports);
  const end: End = isDelivered
    ? { outcome: 'delivered' }
    : await putBack(message, event !== undefined, answer, ports);
  const attempt = {
    id: event?.id ?? message.id,
    type: event?.type,
    subject: event?.subject,
    at: startedAt,
    count: message.receiveCount,
    status,
    reason: isDelivered ? undefined : reasonOf(answer),
    durationMs: endedAt - startedAt,
    ...end,
  };
  return { message, attempt, isEndpoints };
}

async function ask(
  event: EventAttributes | undefined,
  text: string,
  keys: readonly Uint8Array[],
  { endpoint, largeEvents, now }: DeliverPorts,
): Promise<Asked> {
  if (event === undefined) return { text: 'The message is no event.', isEndpoints: false };
  let body: string;
  try {
    body = await bodyOf(event, text, largeEvents);
  } catch (error) {
    const { message: why } = error as Error;
    return { text: `The large event cannot be read: ${why}`, isEndpoints: false };
  }
  const headers = {
    'content-type': 'application/cloudevents+json',
    ...sign({ id: event.id, body }, keys, now()),
  };
  return { ...(await endpoint.post({ headers, body })), isEndpoints: true };
}

/**
 * The event as it was published. A large one is fetched from the bucket; one above the maximum
 * stays a claim check, whose `dataref` is an address that the endpoint can read.
 */
async function bodyOf(
  { dataref }: EventAttributes,
  text: string,
  largeEvents: DeliverPorts['largeEvents'],
): Promise<string> {
  if (dataref === undefined) return text;
  const whole = await largeEvents.read(dataref, MAX_WHOLE_BYTES);
  if (whole !== undefined) return whole;
  const claimCheck = JSON.parse(text) as object;
  return JSON.stringify({ ...claimCheck, dataref: await largeEvents.presign(dataref) });
}

function observeAge(
  event: EventAttributes | undefined,
  deliveredAt: number,
  { telemetry }: DeliverPorts,
): void {
  if (event?.cause !== 'poll' || event.time === undefined) return;
  const ageMs = deliveredAt - Date.parse(event.time);
  // CloudWatch has no percentiles of negative values: clocks differ.
  telemetry.observe('WebhookDeliverySeconds', Math.max(0, ageMs / 1000) || 0);
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
  isEvent: boolean,
  answer: WebhookAnswer,
  ports: DeliverPorts,
): Promise<End> {
  const { receiveCount } = message;
  const isGone = answer.status === GONE;
  if (!isEvent || (receiveCount >= MAX_ATTEMPTS && !isGone)) {
    const isBuried = await isTaken(() => ports.queue.bury(message), ports);
    return { outcome: isBuried ? 'dead-lettered' : 'failed' };
  }
  const waitMs = retryWait(receiveCount, answer.retryAfterMs);
  const nextAt = ports.now() + waitMs;
  const isHidden = await hide(message, waitMs, ports);
  return { outcome: isGone ? 'gone' : 'failed', ...(isHidden && { nextAt }) };
}

/**
 * Hides a message.
 *
 * @returns whether the queue did it. Otherwise the message comes back after the queue's time-out.
 */
export function hide(
  { receipt }: WebhookMessage,
  waitMs: number,
  ports: DeliverPorts,
): Promise<boolean> {
  return isTaken(() => ports.queue.hide(receipt, waitMs), ports);
}

async function isTaken(put: () => Promise<void>, { telemetry }: DeliverPorts): Promise<boolean> {
  try {
    await put();
    return true;
  } catch (error) {
    telemetry.error('A message could not be put back', error);
    return false;
  }
}
