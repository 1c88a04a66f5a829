import type { Paint } from './terminal.ts';

/** A number of things in words: `1 list`, `2,000 lists`. */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`;
}

/** A duration in its largest unit: `12 s`, `3 min`, `5 h`, `3 d`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(Math.floor(seconds), 0);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  return whole < 48 * 3600 ? `${Math.floor(whole / 3600)} h` : `${Math.floor(whole / 86_400)} d`;
}

/** The duration since a time. @param now milliseconds since 1970. */
export function formatAge(time: string, now: number): string {
  return formatDuration((now - Date.parse(time)) / 1000);
}

/** Cuts a text to a width. An ellipsis stands for the rest. */
export function clip(text: string, width: number): string {
  const characters = Array.from(text);
  if (characters.length <= width) return text;
  const kept = characters.slice(0, Math.max(width - 1, 0));
  return `${kept.join('').trimEnd()}…`;
}

/** Fields that change with every edit. */
const BOOKKEEPING = /_(at|id)$/;

/** Names of fields, those last that change with every edit. */
export function mostUsefulFirst(fields: readonly string[]): string[] {
  return fields.toSorted((a, b) => Number(BOOKKEEPING.test(a)) - Number(BOOKKEEPING.test(b)));
}

/** Aligns named values below each other. Absent ones are left out. */
export function formatFields(fields: object): string[] {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `  ${name.padEnd(width)}  ${text}`;
  });
}

/** The cells of a column of numbers and durations. */
const NUMERIC = /^(-|due|(> |in )?\d+( (s|min|h|d)( ago)?)?)$/;

/**
 * Aligns rows in columns, numbers to the right, without spaces at the ends of lines.
 *
 * @param rows their cells by heading, all with the same headings.
 * @param paint of the headings.
 * @returns the line of the headings, then the others.
 */
export function formatTable(
  rows: readonly Readonly<Record<string, string>>[],
  paint: Paint = (_, text) => text,
): string[] {
  const headings = Object.keys(rows[0] ?? {});
  const columns = headings.map((heading) => {
    const cells = rows.map((row) => row[heading] ?? '');
    const width = Math.max(heading.length, ...cells.map(({ length }) => length));
    const isNumeric = cells.every((cell) => NUMERIC.test(cell));
    return [heading, ...cells].map((cell) =>
      isNumeric ? cell.padStart(width) : cell.padEnd(width),
    );
  });
  const [header = '', ...lines] = (columns[0] ?? []).map((_, index) =>
    columns
      .map((cells) => cells[index])
      .join('  ')
      .trimEnd(),
  );
  return [paint('dim', header), ...lines];
}
