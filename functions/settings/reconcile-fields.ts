import * as z from 'zod/mini';
import { fields, matching } from './field-types.ts';

const SHARE = 'a share from 0 to 1: 0.5 is half of a list';
const SCHEDULE =
  '"daily", "weekly", or an expression of EventBridge Scheduler: ' +
  '"rate(7 days)", "cron(0 3 ? * SUN *)"';

const RATE = String.raw`rate\([1-9]\d{0,3} (hours?|days?)\)`;

/** Values of the fields of a cron expression. */
const MINUTE = '[1-5]?[0-9]';
const HOUR = '1?[0-9]|2[0-3]';
const DAY = '[1-9]|[12][0-9]|3[01]';
const MONTH = '[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC';
const WEEKDAY = '[1-7]|SUN|MON|TUE|WED|THU|FRI|SAT';
const YEAR = '(?:19[7-9]|20[0-9]|21[0-9])[0-9]';

/** A list of values, ranges and steps, and of other forms of a field. */
function listOf(value: string, others = String.raw`\*`): string {
  const part = String.raw`(?:(?:\*|(?:${value})(?:-(?:${value}))?)(?:/\d{1,3})?|${others})`;
  return `${part}(?:,${part})*`;
}

const DAYS = listOf(DAY, `L|LW|(?:${DAY})W`);
const WEEKDAYS = listOf(WEEKDAY, `L|(?:${WEEKDAY})(?:L|#[1-5])`);
/** Exactly one of day of month and day of week is a question mark. */
const CRON =
  String.raw`cron\(${listOf(MINUTE)} ${listOf(HOUR)} ` +
  String.raw`(?:${DAYS} ${listOf(MONTH)} \?|\? ${listOf(MONTH)} ${WEEKDAYS}) ${listOf(YEAR)}\)`;

/** How lists are reconciled: read whole, and compared with the mirror. */
export const reconcileFields = fields({
  /**
   * Share of a list's known entities that may be missing from it at once, 0 to 1. Default: 0.5. If
   * more are, a reconcile deletes nothing of the list, and reports it.
   */
  maxMissingShare: z._default(
    z.number({ error: SHARE }).check(z.gte(0, { error: SHARE }), z.lte(1, { error: SHARE })),
    0.5,
  ),
  /**
   * When all lists are reconciled, besides on command: `daily`, `weekly`, `rate(12 hours)` or
   * `cron(0 3 ? * SUN *)`, in UTC. Default: none.
   */
  schedule: z.optional(matching(new RegExp(`^(daily|weekly|${RATE}|${CRON})$`), SCHEDULE)),
});

/** The expression of a schedule for EventBridge Scheduler. */
export function scheduleExpression(schedule: string): string {
  if (schedule === 'daily') return 'rate(1 day)';
  return schedule === 'weekly' ? 'rate(7 days)' : schedule;
}
