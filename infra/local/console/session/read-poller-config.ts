import { pollerConfig } from '../../../../functions/settings/poller-config.ts';
import type { Provisioned } from '../../stack/provision.ts';

const CONFIG = 'SITECAST_CONFIG';

/** The poller's config, as its environment in the template holds it. */
export function readPollerConfig({ functions }: Pick<Provisioned, 'functions'>) {
  const text = functions.find(({ environment }) => 'SITECAST_TOPIC_ARN' in environment)
    ?.environment[CONFIG];
  return text === undefined ? undefined : pollerConfig.safeParse(JSON.parse(text)).data;
}
