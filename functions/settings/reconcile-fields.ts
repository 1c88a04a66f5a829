import * as z from 'zod/mini';
import { cronProblem } from './cron-problem.ts';
import { fields, matching } from './field-types.ts';

const SHARE = 'a share from 0 to 1: 0.5 is half of a list';
const SCHEDULE =
  '"daily", "weekly", or an expression of EventBridge Scheduler: "rate(7 days)", "cron(0 3 ? * SUN *)"';

/** Of a rate at least an hour: a reconciliation reads every list whole. */
const SCHEDULE_FORM = /^(daily|weekly|rate\([1-9]\d{0,3} (hours?|days?)\)|cron\(\S+( \S+){5}\))$/;

const schedule = matching(SCHEDULE_FORM, SCHEDULE).check(
  z.superRefine(
    (expression, context) => {
      const message = cronProblem(expression);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    },
    { when: ({ value }) => SCHEDULE_FORM.test(String(value)) && String(value).startsWith('cron') },
  ),
);

/** How lists are reconciled: read whole, and compared with what is known. */
export const reconcileFields = fields(
  {
    /**
     * Share of a list's known entities that may be missing from it at once. Default: 0.5. If more are, a
     * reconciliation takes the answer for wrong: it deletes nothing of the list, and reports it.
     */
    maxMissingShare: z._default(
      z.number({ error: SHARE }).check(z.gte(0, { error: SHARE }), z.lte(1, { error: SHARE })),
      0.5,
    ),
    /**
     * When all lists are reconciled: `daily`, `weekly`, `rate(…)` in hours or days, or `cron(…)` in UTC. Default: only
     * when an operator orders it.
     */
    schedule: z.optional(schedule),
  },
  (input) =>
    typeof input === 'string' && SCHEDULE_FORM.test(input)
      ? JSON.stringify({ schedule: input })
      : undefined,
);

/** The expression of a schedule for EventBridge Scheduler. */
export function scheduleExpression(schedule: string): string {
  if (schedule === 'daily') return 'rate(1 day)';
  return schedule === 'weekly' ? 'rate(7 days)' : schedule;
}
