/** Makes Node call this machine itself past the proxy of the environment, which cannot reach it. */
export function bypassProxyForLoopback(): void {
  const { env } = process;
  const hosts = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  // All hosts already. With others beside it Node would take it for a name.
  if (hosts === '*') return;
  // Node prefers the small letters.
  env['NO_PROXY'] = env['no_proxy'] = `${hosts},127.0.0.1,localhost`;
}
