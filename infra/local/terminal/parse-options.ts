import { pollerConfig } from '../../../functions/settings/poller-config.ts';
import { parseConfig } from '../../config/config.ts';
import { findNearest } from '../../config/find-nearest.ts';
import type { LocalStage } from '../stack/read-stage.ts';
import { readStages, toLocalStage } from '../stack/read-stage.ts';
import { OptionInvalidError, readFlags } from './read-flags.ts';
import { readRealService, type RealServiceOptions } from './read-real-service.ts';
import { readWebhooks } from './read-webhooks.ts';

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
  /** A stage of cdk.json whose config is used, with its subscribers. */
  readonly stage?: { readonly name: string; readonly config: LocalStage };
  readonly serviceVersion?: string;
  /** Request floorplans with their sheets, which then have events. */
  readonly withSheets: boolean;
  /** The simulated service also writes floorplans whose events are too large for a message. */
  readonly large: boolean;
  /** The simulated service has one more list, which is polled too. */
  readonly additional: boolean;
  /** URLs to which each event is delivered, signed. */
  readonly webhooks: readonly string[];
  /** Absent: the simulated service. */
  readonly service?: RealServiceOptions;
}

export const HELP = `Usage: npm start -- [flags]

Runs Sitecast on this machine: the synthesized stack on embedded AWS
services polls a simulated Construction Project Service. Prints the
address of a web console, where you change the service and see events
arrive, and a line for every event that a subscriber receives.

  --seconds <n>             stop after n seconds, start-up not counted, when
                            the run of that moment has ended
  --every <seconds>         seconds between two runs (default 5)
  --json                    one CloudEvent per line on standard output, all
                            else on standard error
                            (npm -s start -- --json keeps npm quiet)
  --verbose                 show all logs of the poller
  --no-console              start no web console (the same as --headless)
  -h, --help                print this help

Where events go
  --webhook <url>           deliver each event there by signed POST requests,
                            and show every attempt; maximum six

What is polled
  --stage <name>            use the config of this stage of cdk.json, or
                            example, without its addresses
  --fifo                    publish to a FIFO topic
  --with-sheets             events of sheets
  --service-version <date>  Service-Version to request: events of check
                            items before 2021-04-15, of sheets before
                            2021-03-30

The simulated service
  --seed <n>                another building site
  --large                   also changes too large for a message
  --additional              one more list, "tasks", polled as an
                            additional resource

A real service; the events stay on this machine
  --service <base_url>      its address
  --auth <auth_url>         where it exchanges refresh tokens
  --token-file <file>       file with the refresh token; read again before
                            each run
`;

const FLAGS = {
  additional: { type: 'boolean', default: false },
  auth: { type: 'string' },
  every: { type: 'string' },
  fifo: { type: 'boolean', default: false },
  headless: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
  json: { type: 'boolean', default: false },
  large: { type: 'boolean', default: false },
  'no-console': { type: 'boolean', default: false },
  seconds: { type: 'string' },
  seed: { type: 'string' },
  service: { type: 'string' },
  'service-version': { type: 'string' },
  stage: { type: 'string' },
  'token-file': { type: 'string' },
  verbose: { type: 'boolean', default: false },
  webhook: { type: 'string', multiple: true, default: [] as string[] },
  'with-sheets': { type: 'boolean', default: false },
} as const;

/** Flags that only the simulated service understands. */
const SIMULATION_FLAGS = ['seed', 'large', 'additional'] as const;

/**
 * Reads the command line.
 *
 * @throws OptionInvalidError for an unknown flag, an invalid value, or flags that exclude each
 *   other; CdkJsonError or ConfigInvalidError if the stage cannot be read.
 */
export function parseOptions(args: readonly string[]): Options {
  const values = readFlags(args, FLAGS, 'npm start -- --help');
  const seconds = readWholeNumber('--seconds', values.seconds, 1, 86_400);
  const seed = readWholeNumber('--seed', values.seed, 0, 2 ** 32 - 1);
  const serviceVersion = readServiceVersion(values['service-version']);
  const stage = readStage(values.stage);
  const service = readRealService(values.service, values.auth, values['token-file']);
  const useless = SIMULATION_FLAGS.find((flag) => values[flag] !== undefined && values[flag]);
  if (service && useless !== undefined) {
    throw new OptionInvalidError(
      `--${useless} applies only to the simulated service. Remove it, or remove --service.`,
    );
  }
  return {
    help: values.help,
    headless: values.headless || values['no-console'],
    json: values.json,
    fifo: values.fifo,
    verbose: values.verbose,
    withSheets: values['with-sheets'],
    large: values.large,
    additional: values.additional,
    webhooks: readWebhooks(values.webhook),
    every: readWholeNumber('--every', values.every, 1, 3600) ?? 5,
    ...(seconds !== undefined && { seconds }),
    ...(seed !== undefined && { seed }),
    ...(serviceVersion !== undefined && { serviceVersion }),
    ...(stage && { stage }),
    ...(service && { service }),
  };
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

function readServiceVersion(value: string | undefined): string | undefined {
  const result = pollerConfig.shape.serviceVersion.safeParse(value);
  if (result.success) return result.data;
  const allowed = result.error.issues.map(({ message }) => message).join('; ');
  throw new OptionInvalidError(
    `--service-version is ${JSON.stringify(value)}; allowed: ${allowed}`,
  );
}

function readStage(name: string | undefined): Options['stage'] {
  if (name === undefined) return undefined;
  const stages = readStages();
  if (stages.has(name)) {
    const stage = stages.get(name);
    // The config's own message.
    if (typeof stage !== 'object' || stage === null) parseConfig({ [name]: stage });
    return { name, config: toLocalStage(stage as object) };
  }
  const names = [...stages.keys()];
  const nearest = findNearest(name, names);
  throw new OptionInvalidError(
    `--stage is ${JSON.stringify(name)}; allowed: a stage of cdk.json or the example (${names.join(', ')}).${
      nearest === undefined ? '' : ` Did you mean ${nearest}?`
    }`,
  );
}
