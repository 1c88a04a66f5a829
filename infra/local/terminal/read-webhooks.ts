import { isLoopback, urlProblem } from '../../../functions/settings/service-url.ts';
import { OptionInvalidError } from './read-flags.ts';

const ALLOWED = 'an https URL, or http for this machine: http://localhost:3000/hook';

/** Lambda has 4 KB for the settings of the control function, which names all webhooks (docs/scaling.md). */
const MAX_WEBHOOKS = 6;

/**
 * Checks the URLs of `--webhook`.
 *
 * @throws OptionInvalidError naming the first one that cannot be used, before anything is started.
 */
export function readWebhooks(urls: readonly string[]): readonly string[] {
  if (urls.length > MAX_WEBHOOKS) {
    throw new OptionInvalidError(
      `--webhook is given ${urls.length} times; allowed: a maximum of ${MAX_WEBHOOKS}`,
    );
  }
  const seen = new Set<string>();
  for (const url of urls) {
    const problem = problemOf(url);
    if (problem !== undefined) {
      throw new OptionInvalidError(`--webhook is ${withoutCredentials(url)}; allowed: ${problem}`);
    }
    const { href } = new URL(url);
    if (seen.has(href)) {
      throw new OptionInvalidError(
        `--webhook is ${JSON.stringify(url)} twice; allowed: each URL once. It gets every event.`,
      );
    }
    seen.add(href);
  }
  return urls;
}

/** The form that a URL must have and has not; undefined if nothing is wrong. */
function problemOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' && !isLoopback(url.hostname)) {
    return 'an https URL, since only this machine is reached without TLS';
  }
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return ALLOWED;
  return urlProblem(text);
}

/** What precedes an @ may be a user and a password. */
function withoutCredentials(url: string): string {
  return JSON.stringify(url.replace(/^(\w+:\/\/)?.*@/s, '$1…@'));
}
