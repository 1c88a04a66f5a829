import type { METRICS } from '../../../../functions/core/ports/metrics.ts';

const PROBLEM_LEVELS = new Set(['WARN', 'ERROR', 'CRITICAL']);
/** Errors of runs that the session shows, and of requests, which get them as answers. */
const SHOWN_ELSEWHERE: ReadonlySet<unknown> = new Set(['Run failed', 'A request was refused']);
const REQUESTS_SENT = 'RequestsSent' satisfies keyof typeof METRICS;

/**
 * Reads a line of a function's log: a warning or an error in words, or from the metrics of a run
 * its count of requests.
 */
export function readLogLine(line: string): { problem?: string; requestCount?: number } {
  let entry: Readonly<Record<string, unknown>>;
  try {
    entry = Object(JSON.parse(line)) as typeof entry;
  } catch {
    return {};
  }
  if (REQUESTS_SENT in entry) {
    const counts = [entry[REQUESTS_SENT]].flat().map(Number);
    return { requestCount: counts.reduce((sum, each) => sum + each) };
  }
  const { level, message, error, list, webhook } = entry;
  if (!PROBLEM_LEVELS.has(String(level)) || SHOWN_ELSEWHERE.has(message)) return {};
  const { message: reason = entry['reason'] } = (error ?? {}) as { readonly message?: unknown };
  const parts = [message, list ?? webhook, reason].filter((part) => typeof part === 'string');
  return { problem: parts.join(': ') };
}
