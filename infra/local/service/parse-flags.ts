import { parseArgs } from 'node:util';
import { DEFAULT_RATE, HIGHEST_RATE } from './activity/activity.ts';

/** Command-line flags of `npm run service`. */
export interface Flags {
  readonly help: boolean;
  /** 0: any free port. */
  readonly port: number;
  readonly seed: number;
  /** Changes a second; 0: none. */
  readonly activity: number;
}

const DEFAULTS = { port: 4010, seed: 1, activity: DEFAULT_RATE };

/** Text of `--help`. */
export const USAGE = `Usage: npm run service -- [flags]

  --port <number>      port on 127.0.0.1, 0 for any free one (default ${DEFAULTS.port})
  --seed <number>      seed of the initial world and all randomness (default ${DEFAULTS.seed})
  --activity <number>  changes a second, 0 for none (default ${DEFAULTS.activity})
  --help               print this help`;

/**
 * Reads the command line.
 *
 * @throws Error naming the flag, its value and what is allowed.
 */
export function parseFlags(args: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      seed: { type: 'string' },
      activity: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const whole = (value: number) => Number.isInteger(value);
  return {
    help: values.help,
    port: readNumber('--port', values.port, DEFAULTS.port, {
      allowed: 'a whole number from 0 to 65535',
      isAllowed: (port) => whole(port) && port <= 65_535,
    }),
    seed: readNumber('--seed', values.seed, DEFAULTS.seed, {
      allowed: 'a whole number from 0 to 4294967295',
      isAllowed: (seed) => whole(seed) && seed < 2 ** 32,
    }),
    activity: readNumber('--activity', values.activity, DEFAULTS.activity, {
      allowed: `a number of changes a second from 0 to ${HIGHEST_RATE}`,
      isAllowed: (rate) => rate <= HIGHEST_RATE,
    }),
  };
}

function readNumber(
  flag: string,
  text: string | undefined,
  fallback: number,
  range: { readonly allowed: string; readonly isAllowed: (value: number) => boolean },
): number {
  if (text === undefined) return fallback;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isNaN(value) && range.isAllowed(value)) return value;
  throw new Error(`${flag} must be ${range.allowed}, got ${JSON.stringify(text)}`);
}
