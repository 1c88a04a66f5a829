import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { RealService } from '../stack/local-stack.ts';

/** Command-line options of `npm start`. */
export interface Options {
  readonly help: boolean;
  /** Without the web console. */
  readonly headless: boolean;
  /** Seconds to run; absent: until Ctrl-C. */
  readonly seconds?: number;
  /** Write one CloudEvent per line to standard output, all else to standard error. */
  readonly json: boolean;
  /** Seconds between two runs. */
  readonly every: number;
  readonly fifo: boolean;
  /** Show all logs of the function, not only warnings and errors. */
  readonly verbose: boolean;
  /** Seed of the simulated service; absent: its default. */
  readonly seed?: number;
  /** Absent: the simulated service. */
  readonly service?: RealService;
}

/** An option is invalid. The message names it, its value and the allowed values. */
export class OptionInvalidError extends Error {
  override readonly name = 'OptionInvalidError';
}

export const HELP = `Usage: npm start -- [flags]

Runs Sitecast on this machine: the synthesized stack on embedded AWS services polls a simulated
Construction Project Service. Prints a line for every event that a subscriber receives.

  --headless             start no web console (there is none yet)
  --seconds <n>          stop after n seconds, start-up not counted
  --json                 write one CloudEvent per line to standard output, all else to standard error
  --every <seconds>      seconds between two runs of the poller (default 5)
  --fifo                 publish to a FIFO topic
  --verbose              show all logs of the poller, not only warnings and errors
  --seed <n>             seed of the simulated service
  --service <base_url>   poll a real service; requires --auth and --token-file
  --auth <auth_url>      address where the real service exchanges refresh tokens
  --token-file <file>    file with the refresh token of the real service
  --help                 print this help
`;

/**
 * Reads the command line.
 *
 * @throws OptionInvalidError for an unknown flag, an invalid value, or flags that exclude each
 *   other.
 */
export function parseOptions(args: readonly string[]): Options {
  const values = parseFlags(args);
  const seconds = readWholeNumber('--seconds', values.seconds, 1, 86_400);
  const seed = readWholeNumber('--seed', values.seed, 0, 2 ** 32 - 1);
  const service = readRealService(values.service, values.auth, values['token-file']);
  if (service && seed !== undefined) {
    throw new OptionInvalidError(
      '--seed applies only to the simulated service. Remove it, or remove --service.',
    );
  }
  return {
    help: values.help,
    headless: values.headless,
    json: values.json,
    fifo: values.fifo,
    verbose: values.verbose,
    every: readWholeNumber('--every', values.every, 1, 3600) ?? 5,
    ...(seconds !== undefined && { seconds }),
    ...(seed !== undefined && { seed }),
    ...(service && { service }),
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        auth: { type: 'string' },
        every: { type: 'string' },
        fifo: { type: 'boolean', default: false },
        headless: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        seconds: { type: 'string' },
        seed: { type: 'string' },
        service: { type: 'string' },
        'token-file': { type: 'string' },
        verbose: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new OptionInvalidError(
      `${(error as Error).message}. Run npm start -- --help to list the flags.`,
    );
  }
}

function readWholeNumber(
  flag: string,
  value: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw new OptionInvalidError(
      `${flag} is ${JSON.stringify(value)}; allowed: a whole number from ${min} to ${max}`,
    );
  }
  return number;
}

function readRealService(
  baseUrl: string | undefined,
  authUrl: string | undefined,
  tokenFile: string | undefined,
): RealService | undefined {
  const flags = { '--service': baseUrl, '--auth': authUrl, '--token-file': tokenFile };
  const missing = Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [flag] : [],
  );
  if (missing.length === 3) return undefined;
  if (baseUrl === undefined || authUrl === undefined || tokenFile === undefined) {
    throw new OptionInvalidError(
      `${missing.join(' and ')} missing: --service, --auth and --token-file must be given together`,
    );
  }
  return {
    baseUrl: readUrl('--service', baseUrl),
    authUrl: readUrl('--auth', authUrl),
    refreshToken: readToken(tokenFile),
  };
}

/** The app's config schema checks the rest, such as https for remote hosts. */
function readUrl(flag: string, value: string): string {
  const { protocol } = URL.parse(value) ?? {};
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new OptionInvalidError(
      `${flag} is ${JSON.stringify(value)}; allowed: an http or https URL`,
    );
  }
  return value;
}

function readToken(file: string): string {
  let content: string;
  try {
    content = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new OptionInvalidError(
      `--token-file is ${JSON.stringify(file)} (${code}); allowed: a readable file that holds the refresh token`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(content)) {
    throw new OptionInvalidError(
      `--token-file is ${JSON.stringify(file)}; allowed: a file with the refresh token and nothing else, no spaces and on one line`,
    );
  }
  return content;
}
