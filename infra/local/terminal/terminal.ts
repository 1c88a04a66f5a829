import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import { formatEvent, painterFor } from './format-output.ts';

export interface Terminal {
  event(event: ChangeEvent): void;
  /** Shows progress. */
  status(line: string): void;
  /** Shows an error. */
  problem(line: string): void;
  /** Resolves once all output is written. */
  flush(): Promise<void>;
}

/** Codes of a write error when the reader of a pipe or a terminal has gone. */
const READER_GONE = new Set(['EPIPE', 'EIO']);

/**
 * Writes events and status to standard output, errors to standard error. As JSON: one CloudEvent
 * per line to standard output, all else to standard error.
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
  const status = json ? stderr : stdout;
  return {
    event: (event) => stdout.write(`${json ? JSON.stringify(event) : formatEvent(event, paint)}\n`),
    status: (line) => status.write(`${line}\n`),
    problem: (line) => stderr.write(`${line}\n`),
    flush: async () => {
      await Promise.all([stdout, stderr].map(written));
    },
  };
}

/** Writes complete in order, so the callback of the last one means that all are done. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => {
      resolve();
    });
  });
}
