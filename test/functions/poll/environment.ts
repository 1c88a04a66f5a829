import { devNull } from 'node:os';
import { onTestFinished, vi } from 'vitest';

/** The session token of the role that the SDK signs with. */
export const SESSION_TOKEN = 'IQoJb3JpZ2lu/S3ssion+Token==';

/** Gives the test the environment of a deployed function whose AWS is at the address given. */
export function stubEnvironment(endpoint: string): void {
  const environment = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'key',
    AWS_SESSION_TOKEN: SESSION_TOKEN,
    AWS_ENDPOINT_URL: endpoint,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_MAX_ATTEMPTS: '1',
    POWERTOOLS_DEV: undefined,
    POWERTOOLS_SERVICE_NAME: 'sitecast-test',
    POWERTOOLS_METRICS_NAMESPACE: 'Sitecast',
    POWERTOOLS_LOG_LEVEL: 'INFO',
    SITECAST_CONFIG: JSON.stringify({ baseUrl: endpoint, authUrl: endpoint }),
    SITECAST_REFRESH_TOKEN_SECRET: 'site/refresh-token',
    SITECAST_TABLE: 'state',
    SITECAST_TOPIC_ARN: 'arn:aws:sns:eu-central-1:123456789012:changes',
    SITECAST_LARGE_EVENTS_BUCKET: 'large-events',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}
