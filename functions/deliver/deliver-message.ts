import type {
  Tries,
  WebhookAnswer,
  WebhookAttempt,
  WebhookMessage,
} from '../core/ports/webhook.ts';
import { bodyOf } from './body-of.ts';
import type { DeliverContext } from './deliver-context.ts';
import { disabledWait, nextAttempt, untriedWait } from './next-attempt.ts';
import { readEvent, type EventAttributes } from './read-event.ts';
import { recorded } from './recorded.ts';
import { sign } from './sign.ts';

/** What an invocation has loaded for its attempts. */
export interface Prepared {
  readonly keys: readonly Uint8Array[];
  /** Of messages that have failed before, by their ids. */
  readonly tries: ReadonlyMap<string, Tries>;
  /** See {@link Tries}. */
  readonly enabledAt: number | undefined;
}

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
  { keys, tries, enabledAt }: Prepared,
  context: DeliverContext,
): Promise<Delivery> {
  const { now, telemetry } = context;
  const startedAt = now();
  const { count, firstAt } = tries.get(message.id) ?? { count: 0, firstAt: startedAt };
  const tried = {
    ...{ count: count + 1, firstAt, lastAt: startedAt },
    ...(enabledAt !== undefined && { enabledAt }),
  };
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
    count: tried.count,
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
  const end =
    event === undefined
      ? await bury(message, answer, tried, context)
      : await planNext(message, answer, tried, context);
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
  return { answer: await endpoint.post({ headers, body, keys }), isEndpoints: true };
}

function reasonOf({ status, text }: WebhookAnswer): string {
  // Node's messages repeat the code that precedes them.
  if (status === undefined) return text.replace(/\b(E[A-Z]+) (?=.*\b\1\b)/, '');
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return `The endpoint answered ${status}${text === '' ? '' : `: "${text}"`}.${redirect}`;
}

type End = Pick<WebhookAttempt, 'outcome' | 'nextAt'>;

/** Hides the message until its next attempt, or puts it into the dead-letter queue. */
async function planNext(
  message: WebhookMessage,
  answer: WebhookAnswer,
  tried: Tries,
  context: DeliverContext,
): Promise<End> {
  const { store, queue, now } = context;
  const isGone = answer.status === GONE;
  const { id: messageId, receipt } = message;
  const { retryAfterMs } = answer;
  const failedAt = now();
  const plannedMs = isGone
    ? disabledWait(0)
    : nextAttempt({ ...tried, messageId, now: failedAt, retryAfterMs });
  if (plannedMs === undefined) return bury(message, answer, tried, context);
  const save = async () => {
    await store.saveTries(messageId, tried);
    return true;
  };
  const isCounted = isGone || (await recorded(save, context));
  const waitMs = isCounted ? plannedMs : Math.max(plannedMs, untriedWait(message.receiveCount));
  const outcome = isGone ? 'gone' : 'failed';
  const isHidden = await putBack(() => queue.hide([receipt], waitMs), context);
  return { outcome, ...(isHidden && { nextAt: failedAt + waitMs }) };
}

async function bury(
  message: WebhookMessage,
  answer: WebhookAnswer,
  tried: Tries,
  context: DeliverContext,
): Promise<End> {
  const reason = reasonOf(answer);
  const isBuried = await putBack(() => context.queue.bury(message, reason, tried), context);
  return { outcome: isBuried ? 'dead-lettered' : 'failed' };
}

/** @returns whether the queue took it. Otherwise the message comes back when the queue's own time-out ends. */
async function putBack(put: () => Promise<void>, { telemetry }: DeliverContext): Promise<boolean> {
  try {
    await put();
    return true;
  } catch (error) {
    telemetry.error('A message could not be put back', error);
    return false;
  }
}
