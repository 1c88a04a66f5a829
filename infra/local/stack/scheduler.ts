import { setTimeout as delay } from 'node:timers/promises';
import { TemplateError } from './resolve-template.ts';

/** A schedule as the template describes it. */
export interface Schedule {
  readonly name: string;
  readonly everySeconds: number;
  /** ARN of the function that it invokes. */
  readonly targetArn: string;
  /** The event, as JSON; absent: {@link defaultEvent}. */
  readonly input?: string;
}

const RATE = /^rate\((\d+) (minute|hour|day)s?\)$/;
const SECONDS: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400 };

/**
 * Seconds between two ticks of a schedule expression.
 *
 * @throws TemplateError for anything but a rate.
 */
export function parseRate(expression: string): number {
  const [, value, unit = ''] = RATE.exec(expression) ?? [];
  if (value === undefined) {
    throw new TemplateError(
      `ScheduleExpression is ${JSON.stringify(expression)}; the local stack runs rate(<n> minutes|hours|days)`,
    );
  }
  return Number(value) * (SECONDS[unit] ?? 1);
}

/** The event that a tick of the schedule sends. */
export function makeScheduledEvent(schedule: Schedule, now: Date): unknown {
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

/** Ticks until it is stopped. */
export interface Ticker {
  /** No further tick; resolves when the one that is going is done. */
  stop(): Promise<void>;
}

/**
 * Does the work at once and then at every tick. A tick is skipped while the work is going, as one
 * is that finds the function at its reserved concurrency.
 *
 * @param work must not reject.
 */
export function startTicker(everyMs: number, work: () => Promise<void>): Ticker {
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
