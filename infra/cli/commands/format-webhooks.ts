import type {
  WebhookAttemptsAnswer,
  WebhookListAnswer,
  WebhookResendAnswer,
  WebhookStatus,
} from '../../../functions/control/protocol.ts';
import { clip, countOf, formatAge, formatDuration, formatTable } from '../format.ts';
import type { View } from '../operation.ts';

type Layout = Pick<View, 'paint' | 'now'>;

/** Characters of a reason in a table. */
const REASON_LENGTH = 80;

const DISABLED_BY = {
  '410': 'an answer 410',
  failures: 'a day of failures',
  operator: 'an operator',
} as const;

/** Formats webhooks for people, with what is to be done. */
export function formatWebhooks({ webhooks }: WebhookListAnswer, { paint, now }: Layout): string {
  if (webhooks.length === 0) return 'The stack has no webhooks.';
  const rows = webhooks.map(({ name, state, waitingCount, deadCount, url }) => ({
    WEBHOOK: name,
    STATE: state,
    WAITING: String(waitingCount),
    DEAD: String(deadCount),
    URL: url,
  }));
  const [header = '', ...lines] = formatTable(rows);
  const notes = webhooks.flatMap((webhook) => notesOn(webhook, now));
  return [paint('dim', header), ...lines, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

function notesOn(webhook: WebhookStatus, now: number): string[] {
  const { name, state, failingSince, disabledAt, disabledBy, mapping, deadCount } = webhook;
  const notes: string[] = [];
  if (disabledAt !== undefined && disabledBy !== undefined) {
    const by = `${DISABLED_BY[disabledBy]} ${formatAge(disabledAt, now)} ago`;
    notes.push(`was disabled by ${by}. Its events wait: sitecast webhooks enable ${name}`);
  } else if (failingSince !== undefined) {
    const since = `has only failed for ${formatAge(failingSince, now)}`;
    notes.push(`${since}. See why: sitecast webhooks attempts ${name} --failed`);
  }
  if (mapping === 'missing') {
    notes.push('delivers nothing: its function has no event source mapping. Deploy again');
  } else if (state !== 'disabled' && mapping !== 'Enabled') {
    const mapped = `gets no messages: its event source mapping is ${mapping}`;
    notes.push(`${mapped}. Unless that changes: sitecast webhooks enable ${name}`);
  }
  if (deadCount > 0) {
    notes.push(`has dead letters. Once it is mended: sitecast webhooks resend ${name}`);
  }
  return notes.map((note) => `${name} ${note}`);
}

/** Formats attempts for people, the latest first. */
export function formatAttempts(
  { name, attempts, isComplete, disabled }: WebhookAttemptsAnswer,
  { paint, now }: Layout,
): string {
  const note = disabled
    ? [`${name} is disabled, and its events wait: sitecast webhooks enable ${name}`]
    : [];
  if (attempts.length === 0) {
    return [`${name} has no such attempts in the last 14 days.`, ...note].join('\n');
  }
  const rows = attempts.map(({ status, nextAt, type = '', reason = '', ...attempt }) => ({
    AGE: formatAge(attempt.at, now),
    OUTCOME: `${attempt.outcome} ${status ?? ''}`.trimEnd(),
    TRY: String(attempt.count),
    MS: String(attempt.durationMs),
    NEXT: nextAt === undefined ? '-' : nextTime(Date.parse(nextAt) - now),
    EVENT: attempt.id,
    TYPE: type,
    REASON: clip(reason, REASON_LENGTH),
  }));
  const [header = '', ...lines] = formatTable(rows);
  const more = isComplete ? [] : ['… and older ones (--limit shows more)'];
  return [paint('dim', header), ...lines, ...more, ...note].join('\n');
}

/** Says for people how many dead letters are delivered again. */
export function formatResent(answer: WebhookResendAnswer): string {
  const { name, resentCount, isComplete, hiddenCount } = answer;
  const hidden = 'dead letters are left out: a command looked at them a moment ago';
  return [
    `Back in the queue of ${name}: ${countOf(resentCount, 'dead letter')}.`,
    ...(isComplete ? [] : ['There are more: repeat the command.']),
    ...(hiddenCount > 0 ? [`About ${hiddenCount} ${hidden}.`] : []),
  ].join(' ');
}

const nextTime = (ms: number): string => (ms <= 0 ? 'due' : `in ${formatDuration(ms / 1000)}`);
