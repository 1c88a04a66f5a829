import type { DeliverContext } from './deliver-context.ts';
import type { Delivery } from './deliver-message.ts';
import type { DisabledBy, WebhookState } from './ports.ts';
import { recorded } from './recorded.ts';
import { HOUR_MS, MAX_WAIT_MS } from './retry-wait.ts';

/** An endpoint that only fails for this time is disabled. */
export const MAX_FAILING_MS = 24 * HOUR_MS;

/**
 * Failures that lie further apart are not one row of them: an event that fails is tried again sooner. What failed became a
 * dead letter, and nothing was sent since then.
 */
const MAX_GAP_MS = MAX_WAIT_MS + HOUR_MS;

/** Clocks of two hosts may differ by so much: a failure before a success may be dated after it. */
const CLOCKS_APART_MS = 600_000;

/**
 * Saves the attempts of an invocation, and what they tell of the endpoint; disables it if they say so. A failed write is
 * counted and logged: no delivery depends on it.
 */
export async function updateHealth(
  state: WebhookState,
  deliveries: readonly Delivery[],
  context: DeliverContext,
): Promise<void> {
  const { store, telemetry, webhook } = context;
  const attempts = deliveries.map(({ attempt }) => attempt);
  const [disabledBy] = await Promise.all([
    recorded(() => judge(state, deliveries, context), context),
    recorded(async () => {
      if (attempts.length > 0) await store.saveAttempts(attempts);
    }, context),
  ]);
  telemetry.count('WebhookDisabled', disabledBy === undefined ? 0 : 1);
  if (disabledBy === undefined) return;
  telemetry.warn('The webhook is disabled; its events wait in the queue', {
    webhook: webhook.name,
    disabledBy,
    hint: `Mend the endpoint, then: sitecast webhooks enable ${webhook.name}`,
  });
  await stopMapping(context);
}

/** @returns why the webhook was disabled now. */
async function judge(
  { failingSince, lastFailureAt }: WebhookState,
  deliveries: readonly Delivery[],
  { store, now }: DeliverContext,
): Promise<DisabledBy | undefined> {
  const asked = deliveries.filter(({ isEndpoints }) => isEndpoints).map(({ attempt }) => attempt);
  if (asked.some(({ outcome }) => outcome === 'gone')) {
    return (await store.disable('410', now())) ? '410' : undefined;
  }
  const delivered = asked.filter(({ outcome }) => outcome === 'delivered');
  if (delivered.length > 0) {
    const successAt = Math.max(...delivered.map(({ at }) => at));
    if (failingSince !== undefined) await store.stopFailing(successAt + CLOCKS_APART_MS);
    return undefined;
  }
  if (asked.length === 0) return undefined;
  // A dead letter is not tried again: without other events, nothing would show for a day that the endpoint is well.
  const retriedAt = asked.filter(({ outcome }) => outcome === 'failed').map(({ at }) => at);
  const over = now() - MAX_GAP_MS;
  if (failingSince === undefined || lastFailureAt === undefined || lastFailureAt < over) {
    if (retriedAt.length > 0) await store.startFailing(Math.min(...retriedAt), over);
    return undefined;
  }
  if (now() - failingSince >= MAX_FAILING_MS)
    return (await store.disable('failures', now(), failingSince)) ? 'failures' : undefined;
  // One write an hour is enough.
  const latestAt = Math.max(...retriedAt);
  if (latestAt >= lastFailureAt + HOUR_MS) await store.keepFailing(latestAt);
  return undefined;
}

/** Stops the mapping of a disabled webhook. The next message repeats it if it fails. */
export async function stopMapping({ mapping, store, telemetry }: DeliverContext): Promise<void> {
  const isDisabled = async () => (await store.loadState()).disabled !== undefined;
  const report = (error: unknown): void => {
    telemetry.error('The event source mapping could not be switched', error);
  };
  try {
    // An operator may enable the webhook before the mapping is stopped, or at the same moment.
    await mapping.setEnabled(false, isDisabled);
    const mayStay = await isDisabled().catch((error: unknown) => {
      report(error);
      // A stopped mapping brings no next message.
      return false;
    });
    if (!mayStay) await mapping.setEnabled(true);
  } catch (error) {
    report(error);
  }
}
