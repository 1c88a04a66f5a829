import { setTimeout as delay } from 'node:timers/promises';
import { TemplateError } from './resolve-template.ts';

/** A schedule of the template. */
export interface DeclaredSchedule {
  readonly name: string;
  /** `rate(…)` or `cron(…)`. */
  readonly expression: string;
  /** ARN of the function that it invokes. */
  readonly targetArn: string;
  /** Event as JSON; absent: the default event of EventBridge Scheduler. */
  readonly input?: string;
}

/** A schedule that the local stack keeps: that of a poller. */
export interface Schedule extends DeclaredSchedule {
  readonly everySeconds: number;
}

const RATE = /^rate\((\d+) (minute|hour|day)s?\)$/;
/** Every hour, from a minute of it on. */
const CRON = /^cron\(\d+(?:\/(\d+))? \* \* \* \? \*\)$/;
const SECONDS: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400 };

/**
 * Returns the seconds between two ticks of a schedule expression.
 *
 * @throws TemplateError for anything but a rate, or minutes of every hour.
 */
export function parseRate(expression: string): number {
  const cron = CRON.exec(expression);
  if (cron !== null) return 60 * Number(cron[1] ?? 60);
  const [, value, unit = ''] = RATE.exec(expression) ?? [];
  if (value === undefined) {
    throw new TemplateError(
      `ScheduleExpression is ${JSON.stringify(expression)}; the local stack supports rate(<n> minutes|hours|days)`,
    );
  }
  return Number(value) * (SECONDS[unit] ?? 1);
}

/** Makes the event that a tick of the schedule sends. */
export function makeScheduledEvent(schedule: DeclaredSchedule, now: Date): unknown {
  if (schedule.input !== undefined) return JSON.parse(schedule.input);
  return {
    version: '0',
    source: 'aws.scheduler',
    'detail-type': 'Scheduled Event',
    time: now.toISOString(),
    resources: [schedule.name],
    detail: '{}',
  };
}

/**
 * Does the work now and at every tick. Skips ticks during the work: in AWS they
 * would find the lease held, or be throttled by reserved concurrency.
 *
 * @param work must not reject.
 * @returns `stop` resolves once the current tick is done; there are no more ticks.
 */
export function startTicker(everyMs: number, work: () => Promise<void>) {
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    const start = performance.now();
    while (!stopping.signal.aborted) {
      await work();
      const elapsed = performance.now() - start;
      const untilTick = everyMs - (elapsed % everyMs);
      await delay(untilTick, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const done = loop();
  return {
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}
