import type { ControlContext } from '../../../functions/control/control.ts';

/** What a stack without webhooks has. */
export const NO_WEBHOOKS = { webhooks: [] } as unknown as ControlContext['webhooks'];
