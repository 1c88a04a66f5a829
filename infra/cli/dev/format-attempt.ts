import type { WebhookAttemptStatus } from '../../../functions/control/protocol.ts';
import { clip, formatDuration } from '../format.ts';

const ATTEMPT = '"Webhook attempt"';
const MAX_REASON_LENGTH = 160;
/** Enough of an entity's id to recognise it. */
const ID_LENGTH = 9;

/** An attempt as the function of a webhook logs it. */
type Attempt = WebhookAttemptStatus & { readonly webhook: string };

/**
 * Formats a line of a function's log as an attempt; undefined for any other line:
 * `→ hook  project.updated 9d9bacd4…  failed 503 in 12 ms, attempt 2, next in 5 min`.
 */
export function formatAttempt(line: string): string | undefined {
  if (!line.startsWith('{') || !line.includes(ATTEMPT)) return undefined;
  const attempt = JSON.parse(line) as Attempt;
  const { webhook, id, type = 'event', subject = id, outcome, status, at, durationMs } = attempt;
  const { count, nextAt, reason } = attempt;
  const [entity = ''] = subject.split('/').slice(-1);
  const waitMs = nextAt === undefined ? 0 : Date.parse(nextAt) - Date.parse(at) - durationMs;
  const parts = [
    `${[outcome, status ?? []].flat().join(' ')} in ${durationMs} ms`,
    ...(count > 1 ? [`attempt ${count}`] : []),
    ...(waitMs > 0 ? [`next in ${formatDuration(Math.round(waitMs / 1000))}`] : []),
  ].join(', ');
  const end = reason === undefined ? '' : `: ${clip(reason, MAX_REASON_LENGTH)}`;
  return `→ ${webhook}  ${type} ${clip(entity, ID_LENGTH)}  ${parts}${end}`;
}
