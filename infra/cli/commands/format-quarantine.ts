import type {
  QuarantineChangeAnswer,
  QuarantineListAnswer,
  QuarantineShowAnswer,
} from '../../../functions/control/protocol.ts';
import { countOf } from '../../count-of.ts';
import { formatAge, formatTable, type Paint } from '../terminal.ts';

/** Digits of an id that people are shown. */
const ID_LENGTH = 8;
/** Characters of a reason in a table. */
const REASON_LENGTH = 80;

const COLUMNS = [
  { heading: 'ID' },
  { heading: 'AGE', isNumber: true },
  { heading: 'KIND' },
  { heading: 'LIST' },
  { heading: 'REASON' },
] as const;

export interface QuarantineLayout {
  readonly paint: Paint;
  /** Maximum number of items. */
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether only the items of some lists were asked for. */
  readonly isScoped?: boolean;
}

/** Formats the items of the quarantine for people. */
export function formatItems(
  answer: QuarantineListAnswer,
  { paint, limit, now, isScoped = false }: QuarantineLayout,
): string {
  const { items, matchCount } = answer;
  const none = isScoped ? 'The quarantine has nothing of these lists.' : 'The quarantine is empty.';
  if (items.length === 0) return none;
  const shown = items.slice(0, limit);
  const [header = '', ...lines] = formatTable(
    COLUMNS,
    shown.map(({ id, at, kind, list, reason }) => [
      id.slice(0, ID_LENGTH),
      formatAge((now - Date.parse(at)) / 1000),
      kind,
      list,
      cut(reason),
    ]),
  );
  const more = matchCount - shown.length;
  return [
    paint('dim', header),
    ...lines,
    ...(more > 0 ? [`… and ${more} more (--limit 0 shows all)`] : []),
  ].join('\n');
}

/** Formats one item for people. */
export function formatItem({ item }: QuarantineShowAnswer): string {
  const { value, ...rest } = item;
  const rows = Object.entries(rest).map(([name, text]) => `${name.padEnd(9)}${text}`);
  return [...rows, JSON.stringify(value, undefined, 2)].join('\n');
}

/** Tells people what was done with items. */
export function formatChange(answer: QuarantineChangeAnswer, isTrial: boolean): string {
  const { command, matchCount, items, skipped } = answer;
  const verb = command === 'quarantine-retry' ? 'tried again' : 'dropped';
  const count = countOf(matchCount, 'item');
  const ids = items.map(({ id }) => id.slice(0, ID_LENGTH)).join(', ');
  const names = ids === '' ? '' : `: ${ids}`;
  return [
    isTrial
      ? `${count} would be ${verb}${names}. Nothing was changed.`
      : `${count} ${matchCount === 1 ? 'is' : 'are'} ${verb}${names}.`,
    ...skipped.map(
      ({ item, reason }) => `${item.id.slice(0, ID_LENGTH)} stays in the quarantine: ${reason}.`,
    ),
  ].join('\n');
}

function cut(reason: string): string {
  const line = reason.replaceAll(/\s+/g, ' ');
  return line.length > REASON_LENGTH ? `${line.slice(0, REASON_LENGTH)}…` : line;
}
