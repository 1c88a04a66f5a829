import { readFileSync } from 'node:fs';
import { pollerConfig } from '../../../functions/settings/poller-config.ts';
import { webhookUrlProblem } from '../../../functions/settings/service-url.ts';
import type { RealService } from '../../local/stack/local-stack.ts';
import { UsageError } from '../cli-error.ts';
import { readStage } from '#parts';

export interface DevFlags {
  /** Seconds to run; absent: until Ctrl-C. */
  readonly seconds?: number | undefined;
  /** Seconds between two runs. */
  readonly every: number;
  readonly json?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly console: boolean;
  readonly headless?: boolean | undefined;
  readonly webhook?: readonly string[] | undefined;
  readonly stage?: string | undefined;
  readonly service?: string | undefined;
  readonly auth?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/** The polled service and the subscribers, checked before anything is started. */
export interface DevOptions extends DevFlags {
  readonly realService?: RealService;
  /** Fields of the stage; without one none. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Checks flags. @throws UsageError naming the flag, its value and the allowed values. */
export function readOptions(flags: DevFlags): DevOptions {
  for (const url of flags.webhook ?? []) {
    const allowed = webhookUrlProblem(url, true);
    if (allowed !== undefined) throw invalid('--webhook', url, allowed);
  }
  return {
    ...flags,
    ...readRealService(flags),
    fields: flags.stage === undefined ? {} : readStage(flags.stage),
  };
}

function readRealService(flags: DevFlags): Pick<DevOptions, 'realService'> {
  const { service, auth, tokenFile } = flags;
  if (service === undefined && auth === undefined && tokenFile === undefined) return {};
  if (service === undefined || auth === undefined || tokenFile === undefined) {
    throw new UsageError('--service, --auth and --token-file must be given together.');
  }
  const baseUrl = checkUrl('--service', service, 'baseUrl');
  const authUrl = checkUrl('--auth', auth, 'authUrl');
  return { realService: { baseUrl, authUrl, refreshToken: readTokenFile(tokenFile) } };
}

/** Reads a refresh token. @throws UsageError if the file holds anything else; it is not quoted. */
function readTokenFile(path: string): string {
  const refuse = (reason: string): UsageError =>
    invalid('--token-file', path, `a file with the refresh token alone, on one line${reason}`);
  let content: string;
  try {
    content = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw refuse(` (${(error as NodeJS.ErrnoException).code})`);
  }
  if (!/^[\x21-\x7e]+$/.test(content)) throw refuse('');
  return content;
}

/** Checks a value as a deployment does, under the flag's name. */
function checkUrl(flag: string, value: string, field: 'baseUrl' | 'authUrl'): string {
  const result = pollerConfig.shape[field].safeParse(value);
  if (result.success) return result.data;
  throw invalid(flag, value, result.error.issues.map(({ message }) => message).join('; '));
}

function invalid(flag: string, value: string, allowed: string): UsageError {
  // The text before an @ may be a user and a password.
  const shown = JSON.stringify(value.replace(/^(\w+:\/\/)?.*@/s, '$1…@'));
  return new UsageError(`${flag} is ${shown}; allowed: ${allowed}`);
}
