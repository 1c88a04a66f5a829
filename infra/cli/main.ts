import { runProgram } from './application.ts';

// The program in a clone. The package begins with infra/package/sitecast.ts.

// The SDK is bundled: the Node.js of its later versions does not concern the package.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
// The reader of the output has gone, as with `| head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
bypassProxyForLoopback(process.env);
process.exitCode = await runProgram(process.argv.slice(2), process);

/** Makes Node.js call this machine itself past the proxy of the environment. */
function bypassProxyForLoopback(env: NodeJS.ProcessEnv): void {
  const hosts = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  // All hosts already. With others beside it, Node.js would take it for a name.
  if (hosts === '*') return;
  // Node.js prefers the small letters.
  env['NO_PROXY'] = env['no_proxy'] = `${hosts},127.0.0.1,localhost`;
}
