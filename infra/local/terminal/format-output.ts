import { styleText } from 'node:util';
import type {
  ChangeData,
  ChangeEvent,
  ClaimCheckEvent,
} from '../../../functions/core/contract/events.ts';
import type { Action } from '../../../functions/core/model/change.ts';
import type { RunSummary } from '../../../functions/core/run/run-summary.ts';

/** Colours text for a terminal, or returns it unchanged. */
export type Paint = (style: 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

/** Colours if the stream is a terminal with colours and `NO_COLOR` is not set. */
export function painterFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

const COLOURS: Readonly<Record<Action, Parameters<Paint>[0]>> = {
  created: 'green',
  updated: 'yellow',
  deleted: 'red',
  restored: 'cyan',
};
const WIDEST_ACTION = 'restored'.length;
const WIDEST_ENTITY = 'template_check_item'.length;
/** Maximum characters of one value in a line. */
const MAX_VALUE_LENGTH = 40;

/**
 * Formats an event as a line: time, action, entity, name or API path, and changed fields. A claim
 * check shows its storage address instead of the fields.
 */
export function formatEvent(event: ChangeEvent | ClaimCheckEvent, paint: Paint): string {
  const [entity, action] = event.type.split('.') as [string, Action];
  const [title, details] =
    'dataref' in event ? [event.subject, [event.dataref]] : describeContent(event, action);
  return [
    paint('dim', event.time.slice('2026-01-01T'.length, '2026-01-01T00:00:00'.length)),
    paint(COLOURS[action], action.padEnd(WIDEST_ACTION)),
    entity.padEnd(WIDEST_ENTITY),
    title,
    ...details.map((detail) => paint('dim', detail)),
  ].join('  ');
}

function describeContent({ data, subject }: ChangeEvent, action: Action): [string, string[]] {
  const { name } = data.object;
  const changes = action === 'updated' ? data.changed : [];
  return [
    typeof name === 'string' ? quote(name) : subject,
    changes.map((field) => formatChange(field, data)),
  ];
}

/** `name: "Cellar" → "Basement"`; only the name if the values do not fit a line. */
function formatChange(field: string, { object, previous }: ChangeData): string {
  const texts = [previous?.[field], object[field]].map(quote);
  const fit = texts.every((text) => text.length <= MAX_VALUE_LENGTH);
  return previous && fit ? `${field}: ${texts.join(' → ')}` : field;
}

/** Quotes as JSON, which escapes control characters and line breaks. */
function quote(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

export function formatRun(number: number, summary: RunSummary, milliseconds: number): string {
  if (summary.leaseHeld) return `run ${number}: another run holds the lease`;
  const { feeds, polled, pages, entities, events, failing, waiting, parked, quarantined } = summary;
  const published = Object.entries(events).filter(([, count]) => count > 0);
  const trouble = Object.entries({ failing, waiting, parked, quarantined }).filter(
    ([, count]) => count > 0,
  );
  return [
    `run ${number}: ${polled} of ${feeds} lists polled`,
    `${pages} pages`,
    `${entities} entities`,
    published.map(formatCount).join(' + ') || 'no events',
    ...trouble.map(formatCount),
    ...(summary.outageSince === undefined
      ? []
      : [`the service fails since ${summary.outageSince}`]),
    ...(summary.stoppedEarly ? ['stopped before all lists were polled'] : []),
    `${Math.round(milliseconds)} ms`,
  ].join(', ');
}

function formatCount([name, count]: [string, number]): string {
  return `${count} ${name}`;
}

const VISIBLE_LEVELS = new Set(['WARN', 'ERROR', 'CRITICAL']);
/** Fields of a log entry that are of no use on a laptop. */
const HIDDEN_FIELDS = /^(level|message|timestamp|service|cold_start|function_|sampling_rate|xray_)/;

/**
 * Formats a line that the function wrote. Returns undefined for metrics and for log entries below a
 * warning. Lines that are not JSON are returned: Node writes them about crashes.
 */
export function formatLogLine(line: string, verbose: boolean): string | undefined {
  if (verbose) return line;
  const entry = parseObject(line);
  if (!entry) return line.trim() === '' ? undefined : line;
  const level = String(entry['level']);
  if (!VISIBLE_LEVELS.has(level)) return undefined;
  const fields = Object.entries(entry).filter(([name]) => !HIDDEN_FIELDS.test(name));
  return [`${level} ${String(entry['message'])}`, ...fields.map(formatField)].join('  ');
}

function formatField([name, value]: [string, unknown]): string {
  const { name: error, message, hint } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof message === 'string') {
    return `${name}=${String(error)}: ${message}${typeof hint === 'string' ? `  ${hint}` : ''}`;
  }
  return `${name}=${quote(value)}`;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
