import { OptionInvalidError, readFlags } from '../terminal/read-flags.ts';
import { DEFAULT_RATE, HIGHEST_RATE } from './activity.ts';

export interface Flags {
  readonly help: boolean;
  /** 0: any free port. */
  readonly port: number;
  readonly seed: number;
  /** Changes a second; 0: none. */
  readonly activity: number;
  /** Whether some changes are too large for a message. */
  readonly large: boolean;
  /** Whether each project has tasks. */
  readonly additional: boolean;
}

const WHOLE = /^\d+$/;
const DECIMAL = /^\d+(\.\d+)?$/;

const DEFAULTS = { port: 4010, seed: 1, activity: DEFAULT_RATE };

const HELP_COMMAND = 'npm run service -- --help';

export const USAGE = `Usage: npm run service -- [flags]

  --port <number>      port on 127.0.0.1, 0 for any free one (default ${DEFAULTS.port})
  --seed <number>      seed of the initial world and all randomness (default ${DEFAULTS.seed})
  --activity <number>  changes a second, 0 for none (default ${DEFAULTS.activity})
  --large              also changes of floorplans too large for a message
  --additional         one more list in each project: tasks
  -h, --help           print this help`;

/**
 * Reads the command line.
 *
 * @throws OptionInvalidError naming the flag, its value and what is allowed.
 */
export function parseFlags(args: readonly string[]): Flags {
  const values = readFlags(
    args,
    {
      port: { type: 'string' },
      seed: { type: 'string' },
      activity: { type: 'string' },
      large: { type: 'boolean', default: false },
      additional: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
    },
    HELP_COMMAND,
  );
  const read = (flag: keyof typeof DEFAULTS, max: number, unit: string, form: RegExp): number => {
    const { [flag]: text } = values;
    if (text === undefined) return DEFAULTS[flag];
    if (form.test(text) && Number(text) <= max) return Number(text);
    throw new OptionInvalidError(
      `--${flag} must be ${unit} from 0 to ${max}, got ${JSON.stringify(text)}. Run ${HELP_COMMAND} to list the flags.`,
    );
  };
  return {
    help: values.help,
    large: values.large,
    additional: values.additional,
    port: read('port', 65_535, 'a whole number', WHOLE),
    seed: read('seed', 2 ** 32 - 1, 'a whole number', WHOLE),
    activity: read('activity', HIGHEST_RATE, 'a number of changes a second', DECIMAL),
  };
}
