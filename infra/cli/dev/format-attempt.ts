import * as z from 'zod';
import { clip, formatDuration } from '../format.ts';

/** Message of the log entry of an attempt. */
const ATTEMPT = 'Webhook attempt';
const MAX_REASON_LENGTH = 160;
/** Enough of an entity's id to tell it from others. */
const ID_LENGTH = 9;

const AttemptEntry = z.object({
  webhook: z.string(),
  id: z.string(),
  type: z.string().optional(),
  subject: z.string().optional(),
  /** When it began, ISO 8601. */
  at: z.string(),
  count: z.number(),
  outcome: z.string(),
  status: z.number().optional(),
  reason: z.string().optional(),
  durationMs: z.number(),
  nextAt: z.string().optional(),
});

/**
 * Formats a line of a function's log as an attempt of a webhook to deliver an event; undefined if it
 * tells of none: `→ hook  project.updated 9d9bacd4…  503 in 12 ms, attempt 2, next in 5 min`.
 */
export function formatAttempt(line: string): string | undefined {
  const attempt = line.includes(ATTEMPT) ? readAttempt(line) : undefined;
  if (attempt === undefined) return undefined;
  const { webhook, id, type, subject = id, status, durationMs, count } = attempt;
  // The status is told already.
  const reason = attempt.reason?.replace(/^The endpoint answered \d+[.:] ?/, '') ?? '';
  const parts = [
    `${status ?? 'no answer'} in ${durationMs} ms`,
    ...(count > 1 ? [`attempt ${count}`] : []),
    ...outcomeOf(attempt),
  ];
  const [entity = ''] = subject.split('/').slice(-1);
  const event = type === undefined ? id : `${type} ${clip(entity, ID_LENGTH)}`;
  const end = reason === '' ? '' : `: ${clip(reason, MAX_REASON_LENGTH)}`;
  return `→ ${webhook}  ${event}  ${parts.join(', ')}${end}`;
}

function readAttempt(line: string) {
  try {
    return AttemptEntry.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function outcomeOf(attempt: z.infer<typeof AttemptEntry>): string[] {
  const { webhook, outcome, at, durationMs, nextAt } = attempt;
  if (outcome === 'gone') return [`disabled (sitecast webhooks enable ${webhook} --local)`];
  if (outcome === 'dead-lettered') return ['now a dead letter'];
  if (nextAt === undefined) return [];
  const waitMs = Date.parse(nextAt) - Date.parse(at) - durationMs;
  return [`next in ${formatDuration(Math.round(waitMs / 1000))}`];
}
