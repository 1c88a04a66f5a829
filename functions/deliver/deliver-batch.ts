import type { WebhookMessage } from '../core/ports/webhook.ts';
import type { DeliverContext } from './deliver-context.ts';
import { deliverMessage, DISABLED_WAIT_MS, type Delivery } from './deliver-message.ts';
import { updateHealth, stopMapping } from './update-health.ts';

/** An attempt ends in this time: 20 s to read a large event, 15 s for the endpoint, and the calls around them. */
const ATTEMPT_MS = 40_000;

/**
 * Delivers the messages of one invocation: those of a standard queue concurrently, those of a FIFO queue in the order
 * of their groups. A message waits for the success of the one before it in its group.
 *
 * @returns the messages that stay in the queue.
 * @throws what kept all of them: the state or the secret cannot be read.
 */
export async function deliverBatch(
  messages: readonly WebhookMessage[],
  context: DeliverContext,
): Promise<readonly WebhookMessage[]> {
  const { store, secrets, queue, telemetry, now } = context;
  const state = await store.loadState();
  if (state.disabled !== undefined) {
    telemetry.count('WebhookDisabled', 1);
    await queue.hide(receiptsOf(messages), DISABLED_WAIT_MS);
    await stopMapping(context);
    return messages;
  }
  const keys = await secrets.read();
  // Without a group, a message is one of its own.
  const groups = Map.groupBy(messages, (message) => message.group ?? message);
  const ends = await Promise.all(
    [...groups.values()].map((group) => deliverInOrder(group, keys, context)),
  );
  const deliveries = ends.flatMap((end) => end.deliveries);
  const left = ends.flatMap((end) => end.left);
  report(deliveries, context);
  const oldestMs = Math.max(0, ...left.map(({ sentAt }) => now() - sentAt));
  telemetry.count('WebhookOldestSeconds', oldestMs / 1000);
  await updateHealth(state, deliveries, context);
  return left;
}

/** Delivers messages one after the other until one fails. The others are released: they come with it again. */
async function deliverInOrder(
  messages: readonly WebhookMessage[],
  keys: readonly Uint8Array[],
  context: DeliverContext,
): Promise<{ readonly deliveries: readonly Delivery[]; readonly left: readonly WebhookMessage[] }> {
  const deliveries: Delivery[] = [];
  const hasTime = () => deliveries.length === 0 || context.remainingMs() > ATTEMPT_MS;
  for (const [index, message] of messages.entries()) {
    const isUntried = !hasTime();
    const delivery = isUntried ? undefined : await deliverMessage(message, keys, context);
    if (delivery !== undefined) deliveries.push(delivery);
    if (delivery !== undefined && isDone(delivery)) continue;
    const left = messages.slice(index);
    await release(isUntried ? left : left.slice(1), context);
    return { deliveries, left };
  }
  return { deliveries, left: [] };
}

const isDone = ({ attempt: { outcome } }: Delivery): boolean =>
  outcome === 'delivered' || outcome === 'dead-lettered';

async function release(
  messages: readonly WebhookMessage[],
  { queue, telemetry }: DeliverContext,
): Promise<void> {
  try {
    if (messages.length > 0) await queue.hide(receiptsOf(messages), 0);
  } catch (error) {
    telemetry.error('Messages could not be released', error);
  }
}

const receiptsOf = (messages: readonly WebhookMessage[]): string[] =>
  messages.map(({ receipt }) => receipt);

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
      at: new Date(at).toISOString(),
      ...(nextAt !== undefined && { nextAt: new Date(nextAt).toISOString() }),
    };
    if (attempt.outcome === 'delivered') telemetry.info('Webhook attempt', fields);
    else telemetry.warn('Webhook attempt', fields);
  }
}
