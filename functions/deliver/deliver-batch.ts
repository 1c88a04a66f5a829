import { isoTime } from '../core/model/timestamp.ts';
import type { Tries, WebhookMessage, WebhookState } from '../core/ports/webhook.ts';
import type { DeliverContext } from './deliver-context.ts';
import { deliverMessage, type Delivery, type Prepared } from './deliver-message.ts';
import { disabledWait, untriedWait } from './next-attempt.ts';
import { updateHealth, stopMapping } from './update-health.ts';

/** An attempt ends in this time: 20 s to read a large event, 15 s for the endpoint, and the calls around them. */
const ATTEMPT_MS = 40_000;

/**
 * Delivers the messages of one invocation: those of a standard queue concurrently, those of a FIFO queue in the order
 * of their groups. A message waits for the success of the one before it in its group.
 *
 * @returns the messages that stay in the queue.
 * @throws what kept all of them: the state or the secret cannot be read. Then they come back after a while.
 */
export async function deliverBatch(
  messages: readonly WebhookMessage[],
  context: DeliverContext,
): Promise<readonly WebhookMessage[]> {
  const { telemetry, now } = context;
  const { state, ...prepared } = await prepare(messages, context);
  const { disabled } = state;
  if (disabled !== undefined) {
    telemetry.count('WebhookDisabled', 1);
    const waitMs = disabledWait(now() - disabled.at);
    await hide(messages, () => waitMs, context);
    await stopMapping(context);
    return messages;
  }
  // Without a group, a message is one of its own.
  const groups = Map.groupBy(messages, (message) => message.group ?? message);
  const ends = await Promise.all(
    [...groups.values()].map((group) => deliverInOrder(group, prepared, context)),
  );
  const deliveries = ends.flatMap((end) => end.deliveries);
  const left = ends.flatMap((end) => end.left);
  report(deliveries, context);
  countOldest(left, context);
  await updateHealth(state, deliveries, context);
  return left;
}

async function prepare(
  messages: readonly WebhookMessage[],
  context: DeliverContext,
): Promise<Prepared & { readonly state: WebhookState }> {
  const { store, secrets } = context;
  const isRepeated = ({ receiveCount }: WebhookMessage) => receiveCount > 1;
  try {
    const { state, tries } = await store.load(messages.filter(isRepeated).map(({ id }) => id));
    const keys = state.disabled === undefined ? await secrets.read() : [];
    const { enabledAt } = state;
    return { state, keys, tries: triesSince(enabledAt, tries), enabledAt };
  } catch (error) {
    // SQS leaves out the age of what was received more than three times: without this no alarm would tell.
    countOldest(messages, context);
    await hide(messages, ({ receiveCount }) => untriedWait(receiveCount), context);
    throw error;
  }
}

/**
 * What was tried before the webhook was enabled says nothing of the endpoint as it is now. Times of two hosts do not tell what was
 * before.
 */
function triesSince(
  enabledAt: number | undefined,
  tries: ReadonlyMap<string, Tries>,
): ReadonlyMap<string, Tries> {
  return new Map([...tries].filter(([, tried]) => tried.enabledAt === enabledAt));
}

/** Delivers messages one after the other until one fails. The others are released: they come with it again. */
async function deliverInOrder(
  messages: readonly WebhookMessage[],
  prepared: Prepared,
  context: DeliverContext,
): Promise<{ readonly deliveries: readonly Delivery[]; readonly left: readonly WebhookMessage[] }> {
  const deliveries: Delivery[] = [];
  const hasTime = () => deliveries.length === 0 || context.remainingMs() > ATTEMPT_MS;
  for (const [index, message] of messages.entries()) {
    const isUntried = !hasTime();
    const delivery = isUntried ? undefined : await deliverMessage(message, prepared, context);
    if (delivery !== undefined) deliveries.push(delivery);
    if (delivery !== undefined && isDone(delivery)) continue;
    const left = messages.slice(index);
    await hide(isUntried ? left : left.slice(1), () => 0, context);
    return { deliveries, left };
  }
  return { deliveries, left: [] };
}

const isDone = ({ attempt: { outcome } }: Delivery): boolean =>
  outcome === 'delivered' || outcome === 'dead-lettered';

/** Hides messages that were not tried. If that fails, they come back when the queue's own time-out ends. */
async function hide(
  messages: readonly WebhookMessage[],
  waitMsOf: (message: WebhookMessage) => number,
  { queue, telemetry }: DeliverContext,
): Promise<void> {
  const byWait = Map.groupBy(messages, waitMsOf);
  try {
    for (const [waitMs, group] of byWait) {
      const receipts = group.map(({ receipt }) => receipt);
      await queue.hide(receipts, waitMs);
    }
  } catch (error) {
    telemetry.error('Messages could not be released', error);
  }
}

/** Tells for how long the oldest of the messages that stay has been in the queue. */
function countOldest(
  left: readonly WebhookMessage[],
  { telemetry, now }: Pick<DeliverContext, 'telemetry' | 'now'>,
): void {
  const oldestMs = Math.max(0, ...left.map(({ sentAt }) => now() - sentAt));
  telemetry.count('WebhookOldestSeconds', oldestMs / 1000);
}

function report(deliveries: readonly Delivery[], { telemetry, webhook }: DeliverContext): void {
  const attempts = deliveries.map(({ attempt }) => attempt);
  const counted = Map.groupBy(attempts, ({ outcome }) => outcome);
  const delivered = counted.get('delivered')?.length ?? 0;
  telemetry.count('WebhookAttempts', attempts.length);
  telemetry.count('WebhookDelivered', delivered);
  telemetry.count('WebhookFailures', attempts.length - delivered);
  telemetry.count('WebhookDeadLettered', counted.get('dead-lettered')?.length ?? 0);
  for (const { at, nextAt, ...attempt } of attempts) {
    const fields = {
      webhook: webhook.name,
      ...attempt,
      at: isoTime(at),
      ...(nextAt !== undefined && { nextAt: isoTime(nextAt) }),
    };
    if (attempt.outcome === 'delivered') telemetry.info('Webhook attempt', fields);
    else telemetry.warn('Webhook attempt', fields);
  }
}
