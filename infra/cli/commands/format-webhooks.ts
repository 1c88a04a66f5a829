import type {
  WebhookAttemptsAnswer,
  WebhookListAnswer,
  WebhookResendAnswer,
} from '../../../functions/control/protocol.ts';
import { clip, countOf, formatAge, formatDuration, formatTable } from '../format.ts';
import type { View } from '../operation.ts';

type Layout = Pick<View, 'paint' | 'now'>;

/** Characters of a reason in a table. */
const REASON_LENGTH = 80;

const DISABLED_BY = { '410': '410', failures: 'a day of failures', operator: 'you' } as const;

/** Formats webhooks for people. */
export function formatWebhooks({ webhooks }: WebhookListAnswer, { paint, now }: Layout): string {
  if (webhooks.length === 0) return 'The stack has no webhooks.';
  const rows = webhooks.map(({ disabledBy, ...webhook }) => {
    const since = webhook.disabledAt ?? webhook.failingSince;
    const cause = disabledBy === undefined ? '' : ` (${DISABLED_BY[disabledBy]})`;
    return {
      WEBHOOK: webhook.name,
      STATE: `${webhook.state}${cause}`,
      FOR: since === undefined ? '-' : formatAge(since, now),
      MAPPING: webhook.mapping,
      WAITING: String(webhook.waitingCount),
      DEAD: String(webhook.deadCount),
      URL: webhook.url,
    };
  });
  const [header = '', ...lines] = formatTable(rows);
  return [paint('dim', header), ...lines].join('\n');
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
