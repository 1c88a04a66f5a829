import { pollerConfig } from '../../../functions/settings/poller-config.ts';
import { RefreshTokenFile, TokenFileError } from '../stack/refresh-token-file.ts';
import { OptionInvalidError } from './read-flags.ts';

/** A real service, as the command line names it. */
export interface RealServiceOptions {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly tokenFile: RefreshTokenFile;
}

/**
 * Reads and checks the flags of a real service.
 *
 * @returns undefined if there are none.
 * @throws OptionInvalidError naming the missing or invalid flag, before anything is started.
 */
export function readRealService(
  baseUrl: string | undefined,
  authUrl: string | undefined,
  tokenFile: string | undefined,
): RealServiceOptions | undefined {
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
    baseUrl: readUrl('--service', baseUrl, 'baseUrl'),
    authUrl: readUrl('--auth', authUrl, 'authUrl'),
    tokenFile: readTokenFile(tokenFile),
  };
}

/** Checks an address as a deployment does, under the flag's name. */
function readUrl(flag: string, value: string, field: 'baseUrl' | 'authUrl'): string {
  const result = pollerConfig.shape[field].safeParse(value);
  if (result.success) return result.data;
  const allowed = result.error.issues.map(({ message }) => message).join('; ');
  throw new OptionInvalidError(`${flag} is ${withoutCredentials(value)}; allowed: ${allowed}`);
}

/** What precedes an @ may be a user and a password. */
function withoutCredentials(url: string): string {
  return JSON.stringify(url.replace(/^(\w+:\/\/)?.*@/s, '$1…@'));
}

function readTokenFile(path: string): RefreshTokenFile {
  try {
    return new RefreshTokenFile(path);
  } catch (error) {
    if (!(error instanceof TokenFileError)) throw error;
    throw new OptionInvalidError(`--token-file is ${error.message}`);
  }
}
