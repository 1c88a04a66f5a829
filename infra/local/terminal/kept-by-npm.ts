/** Flags that npm has, too: they may be set for it. */
const OF_NPM: readonly string[] = ['json', 'help'];

/**
 * Looks for a flag that was given to npm, without `--` before it: npm tells it to the command in the environment alone.
 *
 * @param names of the command's flags, without dashes.
 * @returns what to do about it.
 */
export function keptByNpm(
  names: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const variable = (name: string) => `npm_config_${name.replace(/^no-/, '').replaceAll('-', '_')}`;
  const kept = names.find((name) => !OF_NPM.includes(name) && env[variable(name)] !== undefined);
  return kept && `npm keeps --${kept} for itself: put -- before the flags.`;
}
