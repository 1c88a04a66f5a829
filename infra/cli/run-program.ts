import { run } from '@stricli/core';
import { makeApplication } from './application.ts';
import { EXIT } from './cli-error.ts';
import type { CliContext } from './terminal.ts';

/**
 * Runs the command that was typed.
 *
 * @param words what was typed after the name of the program; `help <command>` is `<command> --help`.
 * @returns the exit code.
 */
export async function runProgram(
  words: readonly string[],
  { stdout, stderr, env }: CliContext['process'],
): Promise<number> {
  const process: CliContext['process'] & { exitCode?: number | string | null } = {
    ...{ stdout, stderr, env },
  };
  const [first, ...rest] = words;
  const inputs = first === 'help' ? [...rest, '--help'] : words;
  await run(makeApplication(inputs), inputs, { process });
  const code = Number(process.exitCode ?? EXIT.done);
  // The parser's own codes for wrong usage are negative.
  return code < 0 ? EXIT.usage : code;
}
