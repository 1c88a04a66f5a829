import type { Context } from 'aws-lambda';
import { systemClock } from '../../functions/adapters/clock/system-clock.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import type { RunSummary } from '../../functions/core/run/run-summary.ts';
import { run } from '../../functions/core/run/run.ts';
import { runOptions } from '../../functions/poll/run-options.ts';
import type { Settings } from '../../functions/settings/settings.ts';
import { parseConfig } from '../../infra/config/config.ts';
import { completeApi, type PartialApi } from './complete-api.ts';
import { MemoryQuarantine } from './memory-quarantine.ts';

const HOUR_MS = 3_600_000;

/** A stage with its defaults, where the config says no more than the addresses and these fields. */
export function stageOf(config: object = {}) {
  const addresses = { baseUrl: 'https://service.example', authUrl: 'https://auth.example' };
  const { stage } = parseConfig({ stage: { ...addresses, ...config } });
  if (stage === undefined) throw new TypeError('the config has no stage');
  return stage;
}

export const DEFAULTS = stageOf();

/** The options of a run of such a stage, with an hour's time. */
export function optionsOf(stage = DEFAULTS): RunOptions {
  const context = { awsRequestId: 'run', getRemainingTimeInMillis: () => HOUR_MS } as Context;
  const settings = { ...stage, shard: 0, maxWaitSeconds: 1_800 } as unknown as Settings;
  return runOptions(settings, context);
}

/** Ports of a run; those that are absent are of no interest. */
type SomePorts = Pick<Ports, 'store' | 'topic'> &
  Partial<Omit<Ports, 'api'>> & { readonly api: PartialApi };

/** One run with the defaults of config. */
export async function pollOnce(
  { api, ...ports }: SomePorts,
  options: Partial<RunOptions> = {},
): Promise<RunSummary> {
  return run(
    {
      ...{ telemetry: SILENCE, clock: systemClock, quarantine: new MemoryQuarantine() },
      ...{ ...ports, api: completeApi(api) },
    },
    { ...optionsOf(), ...options },
  );
}

/** Reports nothing; nobody expects an error that a run reports. */
const SILENCE = {
  count: () => undefined,
  observe: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (message: string, error: unknown) => {
    throw new Error(message, { cause: error });
  },
};
