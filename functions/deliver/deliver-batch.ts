import { isoTime } from '../core/model/timestamp.ts';
import { deliverMessage, hide, type Delivery } from './deliver-message.ts';
import { stopMapping, updateHealth } from './health.ts';
import { retryWait } from './next-attempt.ts';
import type { DeliverPorts, WebhookMessage, WebhookState } from './ports.ts';

/**
 * Delivers the messages of one invocation, all at the same time.
 *
 * @returns the messages that stay in the queue.
 * @throws the error of the table or the secret. All messages then wait as after an attempt.
 */
export async function deliverBatch(
  messages: readonly WebhookMessage[],
  ports: DeliverPorts,
): Promise<readonly WebhookMessage[]> {
  const { state, keys } = await prepare(messages, ports);
  if (state.disabled !== undefined) {
    ports.telemetry.count('WebhookDisabled', 1);
    await hideAll(messages, ports);
    await stopMapping(ports);
    return messages;
  }
  const deliveries = await Promise.all(
    messages.map((message) => deliverMessage(message, keys, ports)),
  );
  const left = deliveries
    .filter(({ attempt: { outcome } }) => outcome === 'failed' || outcome === 'gone')
    .map(({ message }) => message);
  report(deliveries, ports);
  countOldest(left, ports);
  await updateHealth(state, deliveries, ports);
  return left;
}

async function prepare(
  messages: readonly WebhookMessage[],
  ports: DeliverPorts,
): Promise<{ readonly state: WebhookState; readonly keys: readonly Uint8Array[] }> {
  try {
    const state = await ports.store.loadState();
    return { state, keys: state.disabled === undefined ? await ports.secrets.read() : [] };
  } catch (error) {
    // SQS's own age leaves out messages received more than three times: no alarm would come.
    countOldest(messages, ports);
    await hideAll(messages, ports);
    throw error;
  }
}

async function hideAll(messages: readonly WebhookMessage[], ports: DeliverPorts): Promise<void> {
  await Promise.all(
    messages.map((message) => hide(message, retryWait(message.receiveCount), ports)),
  );
}

/** Counts the age of the oldest message that stays in the queue. */
function countOldest(left: readonly WebhookMessage[], { telemetry, now }: DeliverPorts): void {
  const oldestMs = Math.max(0, ...left.map(({ sentAt }) => now() - sentAt));
  telemetry.count('WebhookOldestSeconds', oldestMs / 1000);
}

function report(deliveries: readonly Delivery[], { telemetry, store }: DeliverPorts): void {
  const attempts = deliveries.map(({ attempt }) => attempt);
  const outcomes = attempts.map(({ outcome }) => outcome);
  const delivered = outcomes.filter((outcome) => outcome === 'delivered').length;
  const dead = outcomes.filter((outcome) => outcome === 'dead-lettered').length;
  telemetry.count('WebhookAttempts', attempts.length);
  telemetry.count('WebhookDelivered', delivered);
  telemetry.count('WebhookFailures', attempts.length - delivered);
  telemetry.count('WebhookDeadLettered', dead);
  for (const { at, nextAt, ...attempt } of attempts) {
    const next = nextAt === undefined ? undefined : isoTime(nextAt);
    const fields = { webhook: store.name, ...attempt, at: isoTime(at), nextAt: next };
    if (attempt.outcome === 'delivered') telemetry.info('Webhook attempt', fields);
    else telemetry.warn('Webhook attempt', fields);
  }
}
