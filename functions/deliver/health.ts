import type { Delivery } from './deliver-message.ts';
import { MAX_WAIT_MS } from './next-attempt.ts';
import type { DeliverPorts, DisabledBy, WebhookState } from './ports.ts';

const HOUR_MS = 3_600_000;

/** An endpoint that only fails for this time is disabled. */
const MAX_FAILING_MS = 24 * HOUR_MS;

/**
 * Failures that lie further apart are not one row: a failed event is tried again sooner. It became
 * a dead letter, and nothing was sent since then.
 */
const MAX_GAP_MS = MAX_WAIT_MS + HOUR_MS;

/**
 * Saves the attempts of an invocation, and how the endpoint fares; disables it when it is gone, or
 * has only failed for a day. A failed write is counted and logged: no delivery depends on it.
 */
export async function updateHealth(
  state: WebhookState,
  deliveries: readonly Delivery[],
  ports: DeliverPorts,
): Promise<void> {
  const { store, telemetry } = ports;
  const [disabledBy] = await Promise.all([
    recorded(() => judge(state, deliveries, ports), ports),
    recorded(() => store.saveAttempts(deliveries.map(({ attempt }) => attempt)), ports),
  ]);
  telemetry.count('WebhookDisabled', disabledBy === undefined ? 0 : 1);
  if (disabledBy === undefined) return;
  telemetry.warn('The webhook is disabled; its events wait in the queue', {
    webhook: store.name,
    disabledBy,
    hint: `Mend the endpoint, then: sitecast webhooks enable ${store.name}`,
  });
  await stopMapping(ports);
}

async function recorded<T>(
  write: () => Promise<T>,
  { telemetry }: DeliverPorts,
): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    telemetry.count('WebhookUnrecorded', 1);
    telemetry.error('Attempts or the state of the webhook were not saved', error);
    return undefined;
  }
}

/** @returns why the webhook was disabled now. */
async function judge(
  { failingSince }: WebhookState,
  deliveries: readonly Delivery[],
  { store, now }: DeliverPorts,
): Promise<DisabledBy | undefined> {
  const asked = deliveries.filter(({ isEndpoints }) => isEndpoints).map(({ attempt }) => attempt);
  if (asked.some(({ outcome }) => outcome === 'gone')) {
    return (await store.disable('410', now())) ? '410' : undefined;
  }
  if (asked.some(({ outcome }) => outcome === 'delivered')) {
    if (failingSince !== undefined) await store.endFailures();
    return undefined;
  }
  // A dead letter is not tried again: without other events nothing would show a recovery.
  const failed = asked.filter(({ outcome }) => outcome === 'failed').map(({ at }) => at);
  if (failed.length === 0) return undefined;
  const since = await store.noteFailure(Math.min(...failed), MAX_GAP_MS);
  if (now() - since < MAX_FAILING_MS) return undefined;
  return (await store.disable('failures', now(), since)) ? 'failures' : undefined;
}

/** Stops the mapping of a disabled webhook. The next message repeats it if it fails. */
export async function stopMapping({ mapping, store, telemetry }: DeliverPorts): Promise<void> {
  try {
    // An operator may enable the webhook while an earlier change of the mapping takes effect.
    await mapping.stop(async () => (await store.loadState()).disabled !== undefined);
  } catch (error) {
    telemetry.error('The event source mapping could not be stopped', error);
  }
}
