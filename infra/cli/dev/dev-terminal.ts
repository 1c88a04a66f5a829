import type { ChangeEvent, ClaimCheckEvent } from '../../../functions/core/contract/events.ts';
import { formatEvent } from '../format-event.ts';
import { painterFor, widthOf, type CliContext } from '../terminal.ts';

/** The output of a session. */
export type DevTerminal = ReturnType<typeof openTerminal>;

/**
 * Writes events and status to standard output, errors to standard error. As JSON: one CloudEvent
 * per line to standard output, all else to standard error.
 */
export function openTerminal(process: CliContext['process'], isJson: boolean) {
  const { stdout, stderr } = process;
  const paint = painterFor(stdout);
  return {
    event: (event: ChangeEvent | ClaimCheckEvent) => {
      const width = widthOf(process);
      const line = isJson ? JSON.stringify(event) : formatEvent(event, { paint, width });
      stdout.write(`${line}\n`);
    },
    status: (text: string) => {
      (isJson ? stderr : stdout).write(`${text}\n`);
    },
    problem: (text: string) => {
      stderr.write(`${text}\n`);
    },
  };
}
