import { parseArgs } from 'node:util';
import { BENCHES } from './registry.ts';

/** What `npm run bench` is asked for. */
export interface Options {
  /** Of one benchmark; all when absent. */
  readonly name?: string;
  readonly json: boolean;
  readonly help: boolean;
}

const NAMES = [...BENCHES.map(({ name }) => name), 'peer'];

/** What `--help` says. */
export const HELP = `npm run bench -- [name] [--json]

Measures what design and promises are held to. Without a name: all rows.

  ${NAMES.join('\n  ')}

  --json      one JSON object on standard output, and nothing else (npm -s run bench keeps npm quiet)
  -h, --help  this text

cost also prints what 10, 100, 1,000 and 10,000 projects cost a month; peer compares with the Lambda that
most people would write. Ends with status 0 whatever the figures, and 2 when the options are wrong or
something cannot be measured.`;

/**
 * Reads the command line.
 *
 * @throws Error that says what is allowed.
 */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseFlags(args);
  const [name, ...others] = positionals;
  if (others.length > 0) throw new Error(`one name at the most, got ${positionals.join(' ')}`);
  if (name === undefined) return values;
  if (NAMES.includes(name)) return { name, ...values };
  throw new Error(`there is no benchmark "${name}"; allowed: ${NAMES.join(', ')}`);
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    });
  } catch (error) {
    // What follows the first sentence is about arguments that begin with a dash; there are none.
    throw new Error((error as Error).message.split('. ', 1)[0], { cause: error });
  }
}
