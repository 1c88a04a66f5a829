import * as z from 'zod/mini';
import { fields, trueOrFalse, whole } from '../../settings/field-types.ts';

const name = z.string({ error: 'name of a webhook' });

const named = <const Command extends string>(command: Command) =>
  fields({ command: z.literal(command), name });

/**
 * The forms of requests about webhooks.
 *
 * @param time the form of a time.
 */
export const webhookRequests = (time: z.ZodMiniType<string>) => ({
  'webhook-list': fields({ command: z.literal('webhook-list') }),
  'webhook-test': named('webhook-test'),
  'webhook-enable': named('webhook-enable'),
  'webhook-disable': named('webhook-disable'),
  'webhook-attempts': fields({
    command: z.literal('webhook-attempts'),
    name,
    failed: z.optional(trueOrFalse()),
    limit: z.optional(whole(1, 1000, 'attempts')),
  }),
  'webhook-resend': fields({
    command: z.literal('webhook-resend'),
    name,
    since: z.optional(time),
  }),
});
