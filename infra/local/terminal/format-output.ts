import { styleText } from 'node:util';
import type {
  ChangeData,
  ChangeEvent,
  ClaimCheckEvent,
} from '../../../functions/core/contract/events.ts';
import type { RunSummary } from '../../../functions/core/run/run-summary.ts';
import { type Action } from '../../../functions/core/model/change.ts';

/** Paints text for a terminal, or leaves it as it is. */
export type Paint = (style: 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

/** Paints when the stream is a terminal that shows colour; `NO_COLOR` is obeyed. */
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
/** Longest text of one value in a line. */
const LONGEST_VALUE = 40;

/**
 * A line for an event: time, action, entity, name or else API path, and what changed; of one that is
 * too large for the topic, where it lies.
 */
export function formatEvent(event: ChangeEvent | ClaimCheckEvent, paint: Paint): string {
  const [entity, action] = event.type.split('.') as [string, Action];
  const [title, details] =
    'dataref' in event ? [event.subject, [event.dataref]] : contentOf(event, action);
  return [
    paint('dim', event.time.slice('2026-01-01T'.length, '2026-01-01T00:00:00'.length)),
    paint(COLOURS[action], action.padEnd(WIDEST_ACTION)),
    entity.padEnd(WIDEST_ENTITY),
    title,
    ...details.map((detail) => paint('dim', detail)),
  ].join('  ');
}

function contentOf({ data, subject }: ChangeEvent, action: Action): [string, string[]] {
  const { name } = data.object;
  const changes = action === 'updated' ? data.changed : [];
  return [
    typeof name === 'string' ? quote(name) : subject,
    changes.map((field) => changeOf(field, data)),
  ];
}

/** `name: "Cellar" → "Basement"`; only the field's name where the values do not fit a line. */
function changeOf(field: string, { object, previous }: ChangeData): string {
  const texts = [previous?.[field], object[field]].map(quote);
  const fit = texts.every((text) => text.length <= LONGEST_VALUE);
  return previous && fit ? `${field}: ${texts.join(' → ')}` : field;
}

/** JSON, which also keeps control characters and line breaks out of the terminal. */
function quote(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** A line for a run: what it did and how long it took. */
export function formatRun(number: number, summary: RunSummary, milliseconds: number): string {
  if (summary.leaseHeld) return `run ${number}: another run holds the lease`;
  const { feeds, polled, pages, entities, events, failing, parked, quarantined } = summary;
  const published = Object.entries(events).filter(([, count]) => count > 0);
  const trouble = Object.entries({ failing, parked, quarantined }).filter(([, count]) => count > 0);
  return [
    `run ${number}: ${polled} of ${feeds} lists polled`,
    `${pages} pages`,
    `${entities} entities`,
    published.map(countOf).join(' + ') || 'no events',
    ...trouble.map(countOf),
    ...(summary.stoppedEarly ? ['stopped before it had polled everything'] : []),
    `${Math.round(milliseconds)} ms`,
  ].join(', ');
}

function countOf([name, count]: [string, number]): string {
  return `${count} ${name}`;
}

const WORTH_SHOWING = new Set(['WARN', 'ERROR', 'CRITICAL']);
/** Fields of a log entry that say nothing on a laptop. */
const EVERYDAY_FIELDS =
  /^(level|message|timestamp|service|cold_start|function_|sampling_rate|xray_)/;

/**
 * A readable line for a line that the function wrote; undefined for what need not be seen: log
 * entries below a warning, and metrics. What is not JSON is shown, since Node itself writes it when
 * something is wrong.
 */
export function formatLogLine(line: string, verbose: boolean): string | undefined {
  if (verbose) return line;
  const entry = parseObject(line);
  if (!entry) return line.trim() === '' ? undefined : line;
  const level = String(entry['level']);
  if (!WORTH_SHOWING.has(level)) return undefined;
  const fields = Object.entries(entry).filter(([name]) => !EVERYDAY_FIELDS.test(name));
  return [`${level} ${String(entry['message'])}`, ...fields.map(fieldOf)].join('  ');
}

function fieldOf([name, value]: [string, unknown]): string {
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
