import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { RealService } from '../stack/local-stack.ts';

/** What `npm start` was asked for. */
export interface Options {
  readonly help: boolean;
  /** Without the web console. */
  readonly headless: boolean;
  /** Stop after so many seconds of running; absent: run until Ctrl-C. */
  readonly seconds?: number;
  /** One CloudEvent JSON per line on standard output, all else on standard error. */
  readonly json: boolean;
  /** Seconds between two runs. */
  readonly every: number;
  /** Publish to a FIFO topic. */
  readonly fifo: boolean;
  /** Show all that the function logs, not only warnings and errors. */
  readonly verbose: boolean;
  /** Seed of the simulated service; absent: its own default. */
  readonly seed?: number;
  /** Absent: the simulated service. */
  readonly service?: RealService;
}

/** A flag is unusable; the message names it, its value and what is allowed. */
export class OptionInvalidError extends Error {
  override readonly name = 'OptionInvalid';
}

/** What `--help` prints. */
export const HELP = `Usage: npm start -- [flags]

Runs the whole of Sitecast on this machine: the synthesized stack on embedded AWS services, polling
a simulated Construction Project Service, with a line for every event that a subscriber receives.

  --headless             without a web console; there is none yet, so it changes nothing today
  --seconds <n>          stop by itself after n seconds of running, start-up not counted
  --json                 one CloudEvent per line on standard output, all else on standard error
  --every <seconds>      time between two runs of the poller (default 5)
  --fifo                 publish to a FIFO topic
  --verbose              show all that the poller logs, not only warnings and errors
  --seed <n>             seed of the simulated service
  --service <base_url>   run against a real service; with --auth and --token-file
  --auth <auth_url>      where the real service exchanges refresh tokens
  --token-file <file>    file that holds the refresh token of the real service
  --help                 this text
`;

/**
 * Reads the command line.
 *
 * @throws OptionInvalidError for an unknown flag, a bad value, or flags that do not go together.
 */
export function parseOptions(args: readonly string[]): Options {
  const values = parseFlags(args);
  const seconds = wholeNumber('--seconds', values.seconds, 1, 86_400);
  const seed = wholeNumber('--seed', values.seed, 0, 2 ** 32 - 1);
  const service = realService(values.service, values.auth, values['token-file']);
  if (service && seed !== undefined) {
    throw new OptionInvalidError(
      '--seed is for the simulated service; leave it out with --service',
    );
  }
  return {
    help: values.help,
    headless: values.headless,
    json: values.json,
    fifo: values.fifo,
    verbose: values.verbose,
    every: wholeNumber('--every', values.every, 1, 3600) ?? 5,
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
      `${(error as Error).message}. npm start -- --help lists the flags`,
    );
  }
}

function wholeNumber(
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

function realService(
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
      `${missing.join(' and ')} missing; --service, --auth and --token-file go together`,
    );
  }
  return {
    baseUrl: url('--service', baseUrl),
    authUrl: url('--auth', authUrl),
    refreshToken: token(tokenFile),
  };
}

/** The app's config schema says the rest, such as https for anything but this machine. */
function url(flag: string, value: string): string {
  const { protocol } = URL.parse(value) ?? {};
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new OptionInvalidError(
      `${flag} is ${JSON.stringify(value)}; allowed: an http or https URL`,
    );
  }
  return value;
}

function token(file: string): string {
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
