import { proposeCompletions } from '@stricli/core';
import { bypassProxyForLoopback } from '../bypass-proxy.ts';
import { COMPLETE, makeApplication } from './application.ts';
import { runProgram } from './run-program.ts';
import type { CliContext } from './terminal.ts';

const context: CliContext = { process };
const inputs = process.argv.slice(2);

// The SDK is bundled: which versions of Node its later versions need does not concern the package.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
// The reader of the output has gone, as with `| head`.
process.stdout.on('error', () => undefined);
bypassProxyForLoopback();
void (inputs[0] === COMPLETE ? complete(inputs.slice(2)) : main());

async function main(): Promise<void> {
  process.exitCode = await runProgram(inputs, process);
}

/** Prints what may follow, for the shell. @param words after the name of the program. */
async function complete(words: readonly string[]): Promise<void> {
  const isNewWord = process.env['COMP_LINE']?.endsWith(' ') === true;
  const line = isNewWord || words.length === 0 ? [...words, ''] : words;
  const found = await proposeCompletions(makeApplication(), line, context);
  for (const { completion } of found) process.stdout.write(`${completion}\n`);
}
