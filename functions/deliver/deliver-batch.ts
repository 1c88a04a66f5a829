import { isoTime } from '../core/model/timestamp.ts';
import type { DeliverContext } from './deliver-context.ts';
import { deliverMessage, hide, type Delivery } from './deliver-message.ts';
import type { WebhookMessage, WebhookState } from './ports.ts';
import { retryWait } from './retry-wait.ts';
import { stopMapping, updateHealth } from './update-health.ts';

/**
 * Delivers the messages of one invocation, all at the same time.
 *
 * @returns the messages that stay in the queue.
 * @throws the error of the table or the secret. All messages then wait for their next receipt.
 */
export async function deliverBatch(
  messages: readonly WebhookMessage[],
  context: DeliverContext,
): Promise<readonly WebhookMessage[]> {
  const { state, keys } = await prepare(messages, context);
  if (state.disabled !== undefined) {
    context.telemetry.count('WebhookDisabled', 1);
    await hideUntried(messages, context);
    await stopMapping(context);
    return messages;
  }
  const deliveries = await Promise.all(
    messages.map((message) => deliverMessage(message, keys, context)),
  );
  const left = deliveries.filter((delivery) => !isDone(delivery)).map(({ message }) => message);
  report(deliveries, context);
  countOldest(left, context);
  await updateHealth(state, deliveries, context);
  return left;
}

async function prepare(
  messages: readonly WebhookMessage[],
  context: DeliverContext,
): Promise<{ readonly state: WebhookState; readonly keys: readonly Uint8Array[] }> {
  const { store, secrets } = context;
  try {
    const state = await store.loadState();
    return { state, keys: state.disabled === undefined ? await secrets.read() : [] };
  } catch (error) {
    // SQS's own age leaves out messages that were received more than three times: no alarm would come.
    countOldest(messages, context);
    await hideUntried(messages, context);
    throw error;
  }
}

async function hideUntried(
  messages: readonly WebhookMessage[],
  context: DeliverContext,
): Promise<void> {
  await Promise.all(
    messages.map((message) =>
      hide(message, retryWait(message.receiveCount, context.random()), context),
    ),
  );
}

const isDone = ({ attempt: { outcome } }: Delivery): boolean =>
  outcome === 'delivered' || outcome === 'dead-lettered';

/** Counts the age of the oldest message that stays in the queue. */
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
