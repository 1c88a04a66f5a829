import type { METRICS } from '../../../../functions/core/ports/metrics.ts';
import { parseEntry, VISIBLE_LEVELS } from '../../../cli/dev/problem-log.ts';

/** Errors of runs that the session shows, and of requests, which get them as answers. */
const SHOWN_ELSEWHERE: ReadonlySet<unknown> = new Set(['Run failed', 'A request was refused']);
const REQUESTS_SENT = 'RequestsSent' satisfies keyof typeof METRICS;

/**
 * Reads what a function has written: a warning or an error in words, or from the metrics of a run
 * its count of requests.
 */
export function readLogLine(line: string): { problem?: string; requestCount?: number } {
  const entry = parseEntry(line) ?? {};
  if (REQUESTS_SENT in entry) {
    const counts = [entry[REQUESTS_SENT]].flat().map(Number);
    return { requestCount: counts.reduce((sum, each) => sum + each) };
  }
  const { level, message, error, list, webhook } = entry;
  if (!VISIBLE_LEVELS.has(String(level)) || SHOWN_ELSEWHERE.has(message)) return {};
  const { message: reason = entry['reason'] } = (error ?? {}) as { readonly message?: unknown };
  const parts = [message, list ?? webhook, reason].filter((part) => typeof part === 'string');
  return { problem: parts.join(': ') };
}
