import * as z from 'zod/mini';
import { fields, matching } from './field-types.ts';

const SHARE = 'a share from 0 to 1: 0.5 is half of a list';
const SCHEDULE =
  '"daily", "weekly", or an expression of EventBridge Scheduler: ' +
  '"rate(7 days)", "cron(0 3 ? * SUN *)"';

const RATE = String.raw`rate\([1-9]\d{0,3} (hours?|days?)\)`;
/**
 * Exactly one of its six fields is a question mark: day of month, or day of week. EventBridge
 * Scheduler judges the values at the deployment.
 */
const CRON = String.raw`cron\(([^\s?]+ ){2}(\? [^\s?]+ [^\s?]+|[^\s?]+ [^\s?]+ \?) [^\s?]+\)`;

/** How lists are reconciled: read whole, and compared with the mirror. */
export const reconcileFields = fields({
  /**
   * Share of a list's known entities that may be missing from it at once. Default: 0.5. If more
   * are, a reconciliation takes the answer for wrong: it deletes nothing of the list, and reports
   * it.
   */
  maxMissingShare: z._default(
    z.number({ error: SHARE }).check(z.gte(0, { error: SHARE }), z.lte(1, { error: SHARE })),
    0.5,
  ),
  /**
   * When all lists are reconciled: `daily`, `weekly`, `rate(…)` in hours or days, or `cron(…)` in
   * UTC, whose values EventBridge Scheduler checks at the deployment. Default: only when an
   * operator orders it.
   */
  schedule: z.optional(matching(new RegExp(`^(daily|weekly|${RATE}|${CRON})$`), SCHEDULE)),
});

/** The expression of a schedule for EventBridge Scheduler. */
export function scheduleExpression(schedule: string): string {
  if (schedule === 'daily') return 'rate(1 day)';
  return schedule === 'weekly' ? 'rate(7 days)' : schedule;
}
