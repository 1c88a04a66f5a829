import type {
  WebhookAttemptsAnswer,
  WebhookDoneAnswer,
  WebhookListAnswer,
  WebhookResendAnswer,
  WebhookStatus,
} from '../../../../functions/control/protocol.ts';
import { formatAge, formatTable, type Paint } from '../../terminal.ts';

/** How answers about webhooks are shown. */
export interface WebhookLayout {
  readonly paint: Paint;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const COLUMNS = [
  { heading: 'WEBHOOK' },
  { heading: 'STATE' },
  { heading: 'WAITING', isNumber: true },
  { heading: 'DEAD', isNumber: true },
  { heading: 'URL' },
] as const;

const ATTEMPT_COLUMNS = [
  { heading: 'AGE', isNumber: true },
  { heading: 'OUTCOME' },
  { heading: 'TRY', isNumber: true },
  { heading: 'MS', isNumber: true },
  { heading: 'NEXT' },
  { heading: 'EVENT' },
  { heading: 'TYPE' },
  { heading: 'REASON' },
] as const;

/** Characters of a reason in a table. */
const REASON_LENGTH = 80;

const DISABLED_BY = {
  '410': 'an answer 410',
  failures: 'a day of failures',
  operator: 'an operator',
} as const;

/** Formats webhooks for people, with what is to be done. */
export function formatWebhooks(
  { webhooks }: WebhookListAnswer,
  { paint, now }: WebhookLayout,
): string {
  if (webhooks.length === 0) return 'The stack has no webhooks.';
  const rows = webhooks.map((webhook) => [
    webhook.name,
    webhook.state,
    String(webhook.waitingCount),
    String(webhook.deadCount),
    webhook.url,
  ]);
  const [header = '', ...lines] = formatTable(COLUMNS, rows);
  const notes = webhooks.flatMap((webhook) => describe(webhook, now));
  return [paint('dim', header), ...lines, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

function describe(webhook: WebhookStatus, now: number): string[] {
  const { name, url, state, failingSince, disabledAt, disabledBy } = webhook;
  const { mapping, waitingCount, deadCount } = webhook;
  const age = (time: string) => formatAge((now - Date.parse(time)) / 1000);
  const notes: string[] = [];
  if (disabledAt !== undefined && disabledBy !== undefined) {
    const by = DISABLED_BY[disabledBy];
    notes.push(
      `${name} was disabled by ${by} ${age(disabledAt)} ago. Its events wait: sitecast webhooks enable ${name}`,
    );
  } else if (failingSince !== undefined) {
    notes.push(
      `${name} has only failed for ${age(failingSince)}. See why: sitecast webhooks attempts ${name} --failed`,
    );
  }
  if (state === 'delivering' && mapping === 'Enabled' && waitingCount > 0) {
    notes.push(
      `What waits for ${name} is on its way, or failed before: sitecast webhooks attempts ${name} --failed`,
    );
  }
  if (mapping === 'missing') {
    notes.push(
      `${name} delivers nothing: its function has no event source mapping. Deploy the stack again; on a laptop: npm start -- --webhook ${url}`,
    );
  } else if (state !== 'disabled' && mapping !== 'Enabled') {
    notes.push(
      `${name} gets no messages: its event source mapping is ${mapping}. Unless that changes: sitecast webhooks enable ${name}`,
    );
  }
  if (deadCount > 0) {
    notes.push(`${name} has dead letters. Once it is mended: sitecast webhooks resend ${name}`);
  }
  return notes;
}

/** Formats attempts for people, the latest first. @param isFailedOnly whether only failed ones were asked for. */
export function formatAttempts(
  { name, attempts, isComplete, disabled }: WebhookAttemptsAnswer,
  { paint, now }: WebhookLayout,
  isFailedOnly = false,
): string {
  const note = disabled
    ? [`${name} is disabled, and its events wait: sitecast webhooks enable ${name}`]
    : [];
  if (attempts.length === 0) {
    const what = isFailedOnly ? 'failed attempts' : 'attempts';
    return [`${name} has no ${what} in the last 14 days.`, ...note].join('\n');
  }
  const [header = '', ...lines] = formatTable(
    ATTEMPT_COLUMNS,
    attempts.map(
      ({ at, outcome, status, count, durationMs, nextAt, id, type = '', reason = '' }) => [
        formatAge((now - Date.parse(at)) / 1000),
        status === undefined ? outcome : `${outcome} ${status}`,
        String(count),
        String(durationMs),
        nextAt === undefined ? '' : nextTime(Date.parse(nextAt) - now),
        id,
        type,
        reason.length > REASON_LENGTH ? `${reason.slice(0, REASON_LENGTH)}…` : reason,
      ],
    ),
  );
  const more = isComplete ? [] : ['… and older ones (--limit shows more)'];
  return [paint('dim', header), ...lines, ...more, ...note].join('\n');
}

/** Formats for people how many dead letters are delivered again. */
export function formatResent({
  name,
  resentCount,
  isComplete,
  hiddenCount,
}: WebhookResendAnswer): string {
  const events = resentCount === 1 ? 'event is' : 'events are';
  return [
    resentCount === 0 && isComplete && hiddenCount === 0
      ? `${name} has no dead letters to resend. Events that wait are tried by themselves.`
      : `${resentCount} ${events} in the queue of ${name} again.`,
    ...(isComplete ? [] : ['There are more: repeat the command.']),
    ...(hiddenCount > 0
      ? [`About ${hiddenCount} dead letters are left out: a command looked at them a moment ago.`]
      : []),
  ].join(' ');
}

/** Formats for people that a webhook is enabled. */
export function formatEnabled({ name }: WebhookDoneAnswer): string {
  return `${name} is enabled. Its events flow within a minute; those that failed wait for their next attempt.`;
}

/** Formats for people that a webhook is disabled. */
export function formatDisabled({ name }: WebhookDoneAnswer): string {
  return `${name} is disabled. Its events wait in the queue, for 14 days at most: sitecast webhooks enable ${name}`;
}

const nextTime = (ms: number): string => (ms <= 0 ? 'due' : `in ${formatAge(ms / 1000)}`);
