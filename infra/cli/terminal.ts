import { styleText } from 'node:util';
import type { CommandContext } from '@stricli/core';

/** What every command gets: the streams of this process. */
export interface CliContext extends CommandContext {
  readonly process: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>;
}

/** Colours text on a terminal, unless `NO_COLOR` is set. */
export type Paint = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

/** Colours for a stream. */
export function painterFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

/** Columns of the terminal, or of the variable `COLUMNS`; undefined for pipes and files. */
export function widthOf({ stdout, env }: CliContext['process']): number | undefined {
  const columns = stdout.isTTY ? stdout.columns : Number(env['COLUMNS']);
  return columns > 0 ? columns : undefined;
}

/** A column: its heading, and to which side its texts are aligned. */
export interface Column {
  readonly heading: string;
  readonly isNumber?: boolean;
}

/** Aligned columns, without spaces at the ends of lines. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string[] {
  const widths = columns.map(({ heading }, index) =>
    rows.reduce((widest, row) => Math.max(widest, row[index]?.length ?? 0), heading.length),
  );
  const lines = [columns.map(({ heading }) => heading), ...rows];
  return lines.map((row) =>
    row
      .map((text, index) => {
        const width = widths[index] ?? 0;
        return columns[index]?.isNumber ? text.padStart(width) : text.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** A duration in its largest unit: `12 s`, `3 min`, `5 h`, `3 d`. */
export function formatAge(seconds: number): string {
  const whole = Math.max(Math.floor(seconds), 0);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  return whole < 48 * 3600 ? `${Math.floor(whole / 3600)} h` : `${Math.floor(whole / 86_400)} d`;
}

/** Names, as many as the limit, and the count of the others. */
export function formatNames(names: readonly string[], count: number): string {
  const more = count - names.length;
  return `${names.join(', ')}${more > 0 ? ` … and ${more} more` : ''}`;
}

const BAR_WIDTH = 20;

/** How many lists are done: a bar, and their number. */
export function formatProgress(listCount: number, leftCount: number): string {
  const done = Math.max(0, listCount - leftCount);
  const filled = listCount === 0 ? BAR_WIDTH : Math.floor((BAR_WIDTH * done) / listCount);
  const bar = '█'.repeat(filled).padEnd(BAR_WIDTH, '░');
  return `${bar} ${done} of ${listCount} lists`;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SPINNER_MS = 100;
const DEFAULT_WIDTH = 80;

/** One line that tells progress on a terminal, and is gone at the end. Elsewhere it shows nothing. */
export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;
  #text = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(text: string): void {
    this.#text = text;
    if (!this.#stream.isTTY) return;
    let step = 0;
    this.#timer ??= setInterval(() => {
      const line = `${SPINNER[step++ % SPINNER.length]} ${this.#text}`;
      // Some terminals do not tell their width.
      const width = this.#stream.columns || DEFAULT_WIDTH;
      this.#stream.write(`\r\u001B[K${line.slice(0, width - 1)}`);
    }, SPINNER_MS);
  }

  end(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stream.write('\r\u001B[K');
  }
}
