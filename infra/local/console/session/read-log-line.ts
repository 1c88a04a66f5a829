import type { METRICS } from '../../../../functions/core/ports/metrics.ts';
import type { Place } from '../protocol.ts';

/** What the console takes from a line that a function has written. */
export interface LogLine {
  /** A warning or an error, in words. */
  readonly problem?: string;
  /** Where the problem is. */
  readonly place?: Place;
  /** Requests of the run that has ended, if the line holds its metrics. */
  readonly requestCount?: number;
}

const PROBLEM_LEVELS = new Set(['WARN', 'ERROR', 'CRITICAL']);
/** Entries of errors that others tell: the session that of a run, and who asked that of a request. */
const TOLD_ELSEWHERE: ReadonlySet<unknown> = new Set(['Run failed', 'A request was refused']);
const REQUESTS_SENT = 'RequestsSent' satisfies keyof typeof METRICS;

/** Reads a log entry, or metrics in the embedded format. Other lines tell nothing. */
export function readLogLine(line: string): LogLine {
  const entry = parse(line);
  if (entry === undefined) return {};
  if ('_aws' in entry) {
    const value = [entry[REQUESTS_SENT] ?? []].flat().map(Number);
    return { ...(value.length > 0 && { requestCount: value.reduce((sum, each) => sum + each) }) };
  }
  const { level, message, error, list, webhook } = entry;
  if (!PROBLEM_LEVELS.has(String(level)) || TOLD_ELSEWHERE.has(message)) return {};
  const { message: reason = entry['reason'] } = (error ?? {}) as { readonly message?: unknown };
  const parts = [message, list ?? webhook, reason].filter((part) => typeof part === 'string');
  return {
    problem: parts.join(': '),
    place: webhook === undefined ? 'poller' : 'subscribers',
  };
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
