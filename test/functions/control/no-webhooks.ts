import type { WebhookPorts } from '../../../functions/control/ports.ts';

/** A stack without webhooks. */
export const NO_WEBHOOKS = { deployed: [] } as unknown as WebhookPorts;
