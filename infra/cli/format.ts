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

/** A column of a table. */
export interface Column {
  readonly heading: string;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
}

/** Aligns rows in columns, without spaces at the ends of lines. The first line has the headings. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string[] {
  const lines = [columns.map(({ heading }) => heading), ...rows];
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, line[index]?.length ?? 0), 0),
  );
  return lines.map((line) =>
    line
      .map((text, index) => {
        const width = widths[index] ?? 0;
        return columns[index]?.isNumber ? text.padStart(width) : text.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
