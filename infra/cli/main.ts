import { proposeCompletions, run } from '@stricli/core';
import { COMPLETE, makeApplication } from './application.ts';
import { EXIT } from './cli-error.ts';
import type { CliContext } from './terminal.ts';

const context: CliContext = { process };
const inputs = process.argv.slice(2);

// The SDK is bundled: which versions of Node its later versions need does not concern the package.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
// The reader of the output has gone, as with `| head`.
process.stdout.on('error', () => undefined);
void (inputs[0] === COMPLETE ? complete(inputs.slice(2)) : main());

/** The parser's own codes for wrong usage are negative. */
async function main(): Promise<void> {
  await run(makeApplication(inputs), inputs, context);
  const code = Number(process.exitCode ?? EXIT.done);
  process.exitCode = code < 0 ? EXIT.usage : code;
}

/** Prints what may follow, for the shell. @param words after the name of the program. */
async function complete(words: readonly string[]): Promise<void> {
  const isNewWord = process.env['COMP_LINE']?.endsWith(' ') === true;
  const line = isNewWord || words.length === 0 ? [...words, ''] : words;
  const found = await proposeCompletions(makeApplication(), line, context);
  for (const { completion } of found) process.stdout.write(`${completion}\n`);
}
