import type { ChangeEvent, ClaimCheckEvent } from '../../../functions/core/contract/events.ts';
import { wrap } from './fit-text.ts';
import { formatEvent, painterFor } from './format-event.ts';

export interface Terminal {
  /** @param receivers declared subscribers that received the event. */
  event(event: ChangeEvent | ClaimCheckEvent, receivers?: readonly string[]): void;
  /** Shows progress. */
  status(text: string): void;
  /** Shows an error. */
  problem(text: string): void;
  /** Resolves once all output is written. */
  flush(): Promise<void>;
}

/** Codes of a write error when the reader of a pipe or a terminal has gone. */
const READER_GONE = new Set(['EPIPE', 'EIO']);

/** Width of pipes and files. */
const DEFAULT_WIDTH = 120;
const NARROWEST = 40;

/**
 * Writes events and status to standard output, errors to standard error. As JSON: one CloudEvent
 * per line to standard output, all else to standard error. Lines other than JSON fit the width.
 *
 * @param onClosed called when a reader closed its end, as `| head` does; later output is lost.
 */
export function openTerminal(json: boolean, onClosed: () => void): Terminal {
  const { stdout, stderr } = process;
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === undefined || !READER_GONE.has(error.code)) throw error;
      onClosed();
    });
  }
  const paint = painterFor(stdout);
  const statusStream = json ? stderr : stdout;
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    stream.write(`${wrap(text, widthOf(stream))}\n`);
  };
  return {
    event: (event, receivers = []) => {
      const line = json
        ? JSON.stringify(event)
        : formatEvent(event, { paint, width: widthOf(stdout), receivers });
      stdout.write(`${line}\n`);
    },
    status: (text) => {
      write(statusStream, text);
    },
    problem: (text) => {
      write(stderr, text);
    },
    flush: async () => {
      await Promise.all([stdout, stderr].map(written));
    },
  };
}

/** Columns of the terminal, of the variable `COLUMNS` for pipes, or the default. */
function widthOf(stream: NodeJS.WriteStream): number {
  const columns = stream.isTTY ? stream.columns : Number(process.env['COLUMNS']);
  return columns > 0 ? Math.max(columns, NARROWEST) : DEFAULT_WIDTH;
}

/** Writes complete in order, so the callback of the last one means that all are done. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => {
      resolve();
    });
  });
}
