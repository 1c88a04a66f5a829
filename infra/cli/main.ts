import { proposeCompletions, run } from '@stricli/core';
import { application, COMPLETE } from './application.ts';
import { EXIT } from './cli-error.ts';
import type { CliContext } from './terminal.ts';

const context: CliContext = { process };
const inputs = process.argv.slice(2);

// The reader of the output has gone, as with `| head`.
process.stdout.on('error', () => undefined);
void (inputs[0] === COMPLETE ? complete(inputs.slice(2)) : main());

/** The parser's own codes for wrong usage are negative. */
async function main(): Promise<void> {
  await run(application, inputs, context);
  const code = Number(process.exitCode ?? EXIT.done);
  process.exitCode = code < 0 ? EXIT.usage : code;
}

/** Prints what may follow, for the shell. @param words after the name of the program. */
async function complete(words: readonly string[]): Promise<void> {
  const isNewWord = process.env['COMP_LINE']?.endsWith(' ') === true;
  const line = isNewWord || words.length === 0 ? [...words, ''] : words;
  const found = await proposeCompletions(application, line, context);
  for (const { completion } of found) process.stdout.write(`${completion}\n`);
}
