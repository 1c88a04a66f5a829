import { styleText } from 'node:util';
import type { CommandContext } from '@stricli/core';

/** The context of every command: the streams of this process. */
export interface CliContext extends CommandContext {
  readonly process: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>;
}

/** Colours text on a terminal, unless `NO_COLOR` is set. */
export type Paint = (
  style: 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow',
  text: string,
) => string;

export function painterFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

/** Columns of the terminal, or of the variable `COLUMNS`; undefined for pipes and files. */
export function widthOf({ stdout, env }: CliContext['process']): number | undefined {
  const columns = stdout.isTTY ? stdout.columns : Number(env['COLUMNS']);
  return columns > 0 ? columns : undefined;
}

/** One Ctrl-C may arrive twice within this time, from the terminal and from npm. */
const SAME_SIGNAL_MS = 1_000;
/** Exit status of a process that SIGINT ended. */
const INTERRUPTED = 130;

/**
 * Aborts when the process has to end, or the reader of its output has gone, as with `| head`.
 * A second signal ends the process at once.
 */
export function stopOnSignals({ stdout }: CliContext['process']): AbortSignal {
  const stopping = new AbortController();
  let stoppedAt = Infinity;
  const stop = (): void => {
    if (performance.now() - stoppedAt > SAME_SIGNAL_MS) process.exit(INTERRUPTED);
    stoppedAt = Math.min(stoppedAt, performance.now());
    stopping.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  stdout.on('error', () => {
    stopping.abort();
  });
  return stopping.signal;
}

const BAR_WIDTH = 20;

/** How many lists are done: a bar, and their number. */
export function formatProgress(listCount: number, leftCount: number): string {
  const done = Math.max(0, listCount - leftCount);
  const filled = listCount === 0 ? BAR_WIDTH : Math.floor((BAR_WIDTH * done) / listCount);
  const bar = '█'.repeat(filled).padEnd(BAR_WIDTH, '░');
  return `${bar} ${done} of ${listCount} lists`;
}

const DEFAULT_WIDTH = 80;

/** One line of progress on a terminal, gone at the end. Elsewhere it shows nothing. */
export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(text: string): void {
    // Some terminals hide their width.
    const width = this.#stream.columns || DEFAULT_WIDTH;
    this.#write(text.slice(0, width - 1));
  }

  end(): void {
    this.#write('');
  }

  #write(text: string): void {
    if (this.#stream.isTTY) this.#stream.write(`\r\u001B[K${text}`);
  }
}
