import { parseArgs } from 'node:util';
import { findNearest } from '../../infra/config/find-nearest.ts';
import { BENCHES } from './registry.ts';

/** What `npm run bench` is asked for. */
export interface Options {
  /** Of one benchmark; all when absent. */
  readonly name?: string;
  readonly json: boolean;
  readonly help: boolean;
}

const NAMES = [...BENCHES.map(({ name }) => name), 'peer'];

const OPTIONS = {
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
} as const;

/** What `--help` says. */
export const HELP = `npm run bench -- [name] [--json]

Measures what design and promises are held to. Without a name: all rows.

  ${NAMES.join('\n  ')}

  --json      one JSON object on standard output, and nothing else (npm -s run bench keeps npm quiet)
  -h, --help  this text

cost takes about two minutes and also prints what 10, 100, 1,000 and 10,000 projects cost a month; peer compares with the Lambda that
most people would write. Ends with status 0 whatever the figures, and 2 when the options are wrong or
something cannot be measured.`;

/**
 * Reads the command line.
 *
 * @throws Error that says what is allowed.
 */
export function parseOptions(args: readonly string[]): Options {
  const names = args.filter((arg) => !arg.startsWith('-'));
  const flags = args.filter((arg) => arg.startsWith('-'));
  const { values } = parseArgs({ args: flags, options: OPTIONS });
  const [name, ...others] = names;
  if (others.length > 0) throw new Error(`Name one benchmark only, not ${names.join(' ')}.`);
  if (name === undefined) return values;
  if (NAMES.includes(name)) return { name, ...values };
  const nearest = findNearest(name, NAMES);
  const advice =
    nearest === undefined ? `Allowed: ${NAMES.join(', ')}.` : `Did you mean ${nearest}?`;
  throw new Error(`There is no benchmark ${JSON.stringify(name)}. ${advice}`);
}
