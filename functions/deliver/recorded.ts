import type { DeliverContext } from './deliver-context.ts';

/**
 * Makes a write on which no delivery depends: its failure is counted and logged.
 *
 * @returns what the write returned; undefined if it failed.
 */
export async function recorded<T>(
  write: () => Promise<T>,
  { telemetry }: Pick<DeliverContext, 'telemetry'>,
): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    telemetry.count('WebhookUnrecorded', 1);
    telemetry.error('Attempts or the state of the webhook were not saved', error);
    return undefined;
  }
}
