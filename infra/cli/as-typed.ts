type Environment = Readonly<Record<string, string | undefined>>;

/** Scripts of package.json that run this program. */
const SCRIPTS = ['sitecast', 'start', 'service', 'preflight'];

/** Flags of this program that npm does not have. */
const FLAGS = [
  ...['stage', 'stack', 'local', 'list', 'project', 'resource', 'since', 'to', 'state', 'limit'],
  ...[
    'service',
    'auth',
    'token-file',
    'seconds',
    'every',
    'webhook',
    'headless',
    'console',
    'fifo',
  ],
];

/** Words commands in a text as they have to be typed in a clone: `npm run sitecast -- status`. */
export function asTyped(text: string, env: Environment = process.env): string {
  const isScript = SCRIPTS.includes(env['npm_lifecycle_event'] ?? '');
  return isScript
    ? text.replaceAll(/(?<!run )\bsitecast (?=[a-z<-])/g, 'npm run sitecast -- ')
    : text;
}

/** The first flag that npm has kept for itself, since no `--` stood before it. */
export function keptByNpm(env: Environment = process.env): string | undefined {
  if (!SCRIPTS.includes(env['npm_lifecycle_event'] ?? '')) return undefined;
  return FLAGS.find((name) => env[`npm_config_${name.replaceAll('-', '_')}`] !== undefined);
}
