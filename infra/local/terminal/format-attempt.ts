import * as z from 'zod';
import { clip } from './fit-text.ts';

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

/** An attempt of a webhook to deliver an event, as its function logs it. */
export type Attempt = z.infer<typeof AttemptEntry>;

/** Reads a line of a function's log; undefined if it tells of no attempt. */
export function readAttempt(line: string): Attempt | undefined {
  if (!line.includes(ATTEMPT)) return undefined;
  try {
    return AttemptEntry.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Formats an attempt as a line: `→ hook  project.updated 9d9bacd4…  503 in 12 ms, attempt 2, next in 5 min`. */
export function formatAttempt(attempt: Attempt): string {
  const { webhook, id, type, subject = id, status, durationMs, count } = attempt;
  const answer = status === undefined ? 'no answer' : String(status);
  const parts = [
    `${answer} in ${durationMs} ms`,
    ...(count > 1 ? [`attempt ${count}`] : []),
    ...outcomeOf(attempt),
  ];
  const [entity = ''] = subject.split('/').slice(-1);
  const event = type === undefined ? id : `${type} ${clip(entity, ID_LENGTH)}`;
  const reason = detailOf(attempt);
  const end = reason === '' ? '' : `: ${clip(reason, MAX_REASON_LENGTH)}`;
  return `→ ${webhook}  ${event}  ${parts.join(', ')}${end}`;
}

/** The reason without what the line says before. */
function detailOf({ reason = '' }: Attempt): string {
  const [, said] = /^The endpoint answered \d+(?:\. ?|: )(.*)$/s.exec(reason) ?? [];
  return said?.replace(/"\.$/, '"') ?? reason.replace(/^No answer: /, '');
}

function outcomeOf({ webhook, outcome, at, durationMs, nextAt }: Attempt): string[] {
  if (outcome === 'gone') {
    return [`disabled (npm run sitecast -- webhooks enable ${webhook} --local)`];
  }
  if (outcome === 'dead-lettered') return ['now a dead letter'];
  if (nextAt === undefined) return [];
  const endedAt = Date.parse(at) + durationMs;
  return [`next in ${spanOf(Date.parse(nextAt) - endedAt)}`];
}

/** `5 s`, `5 min` or `10 h`. */
function spanOf(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  return seconds < 6_000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
