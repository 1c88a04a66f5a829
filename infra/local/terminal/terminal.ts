import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import { formatEvent, painterFor } from './format-output.ts';

/** Where lines go. */
export interface Terminal {
  /** Shows an event. */
  event(event: ChangeEvent): void;
  /** Shows what is going on. */
  status(line: string): void;
  /** Shows what went wrong. */
  problem(line: string): void;
  /** Resolves when everything shown so far was written. */
  flush(): Promise<void>;
}

/** What writing to a pipe or a terminal fails with when nobody reads it any more. */
const READER_GONE = new Set(['EPIPE', 'EIO']);

/**
 * Events and status on standard output, problems on standard error. As JSON: one CloudEvent per line
 * on standard output, and all else on standard error.
 *
 * @param onClosed called when a reader closed its end, as `| head` does; what is shown after that
 *   is lost.
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

/** Writes come through in order, so the last one's callback means that all are through. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => {
      resolve();
    });
  });
}
