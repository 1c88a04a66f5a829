import { runProgram, type Routes } from './application.ts';
import { EXIT } from './cli-error.ts';
import { isScript } from './report.ts';

/** Flags of this program that npm does not have. */
const FLAGS = [
  ...['stage', 'stack', 'local', 'list', 'project', 'resource', 'since', 'to', 'state', 'limit'],
  ...['service', 'auth', 'token-file', 'seconds', 'every', 'webhook', 'headless', 'console'],
];

/** Runs the program in this process. @param others commands beside those of operators. */
export async function startProgram(others?: Routes): Promise<void> {
  // The SDK is bundled: the Node.js of its later versions does not concern the package.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  // The reader of the output has gone, as with `| head`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  bypassProxyForLoopback(process.env);
  const kept = keptByNpm();
  if (kept === undefined) {
    process.exitCode = await runProgram(process.argv.slice(2), process, others);
  } else {
    process.stderr.write(`npm keeps --${kept} for itself: put -- before the flags.\n`);
    process.exitCode = EXIT.usage;
  }
}

/** Makes Node.js call this machine itself past the proxy of the environment. */
function bypassProxyForLoopback(env: NodeJS.ProcessEnv): void {
  const hosts = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  // All hosts already. With others beside it, Node.js would take it for a name.
  if (hosts === '*') return;
  // Node.js prefers the small letters.
  env['NO_PROXY'] = env['no_proxy'] = `${hosts},127.0.0.1,localhost`;
}

/** The first flag that npm has kept for itself, since no `--` stood before it. */
export function keptByNpm(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (!isScript(env)) return undefined;
  return FLAGS.find((name) => env[`npm_config_${name.replaceAll('-', '_')}`] !== undefined);
}
