import { DEFAULT_PORTS } from '../../local/embedded/endpoints.ts';
import type { LocalStackOptions } from '../../local/stack/local-stack.ts';
import type { DevOptions } from './read-options.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The simulated service has no request limit. */
const SIMULATED_CONFIG = {
  requestsPerMinute: 60_000,
  // So each type of event is seen: items of checklists, and sheets.
  serviceVersion: '2021-04-01',
  withCurrentSheet: true,
};
/** The console shows the metrics. */
export const LOCAL_CONFIG = { monitoring: 'full' };
/** A lease lasts as long, so that a killed run is replaced within 20 seconds. */
const POLLER_TIMEOUT_SECONDS = 15;

/** Describes the stack that the flags of `sitecast dev` name. */
export function stackOptions(options: DevOptions): LocalStackOptions {
  const { realService, stage, fields, webhook = [] } = options;
  const config = {
    ...LOCAL_CONFIG,
    ...(!realService && SIMULATED_CONFIG),
    ...fields,
  };
  return {
    webhooks: webhook,
    ...(realService && { realService }),
    ...(stage !== undefined && { stage }),
    config: addWebhooks(config, webhook),
    ports: DEFAULT_PORTS,
    pollerTimeoutSeconds: POLLER_TIMEOUT_SECONDS,
  };
}

/**
 * Adds a webhook to a stage's config for each URL that is none of its webhooks'. The stage's
 * webhooks are signed with secrets of this machine.
 *
 * @param config unchecked: synthesis reports its errors.
 */
export function addWebhooks(config: Fields, urls: readonly string[]): Fields {
  const { subscribers = [] } = config;
  if (!Array.isArray(subscribers)) return config;
  const declared = subscribers.map((subscriber: Fields) => {
    const { secretArn, ...local } = subscriber;
    return subscriber['protocol'] === 'webhook' ? local : subscriber;
  });
  const known = new Set(declared.map(({ endpoint }: Fields) => hrefOf(endpoint)));
  const added = urls
    .filter((url) => !known.has(hrefOf(url)))
    .map((endpoint, index) => ({
      name: `webhook-${index + 1}`,
      protocol: 'webhook',
      endpoint,
      allowPrivateAddress: true,
    }));
  return {
    ...config,
    subscribers: [...declared, ...added],
    // The attempts that are shown are entries of this level.
    ...(urls.length > 0 && { logLevel: 'INFO' }),
  };
}

const hrefOf = (url: unknown): string | undefined => URL.parse(String(url))?.href;
