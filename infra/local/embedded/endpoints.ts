import { devNull } from 'node:os';

/** Base URLs of the embedded services. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly s3: string;
  readonly sns: string;
  readonly sqs: string;
  readonly secretsManager: string;
  /** Lambda's API; absent where no function runs. */
  readonly lambda?: string;
}

/** Ports of `npm start` on 127.0.0.1. One that is taken is replaced by a free one. */
export const DEFAULT_PORTS = {
  service: 4010,
  dynamodb: 4011,
  messaging: 4012,
  secretsManager: 4013,
};
export type LocalPorts = Readonly<typeof DEFAULT_PORTS>;

/** Preferred port of the console of `npm start`. */
export const CONSOLE_PORT = 4014;

/** Account of all local ARNs; fauxqs supports no other. */
export const LOCAL_ACCOUNT = '000000000000';
export const LOCAL_REGION = 'us-east-1';
/** Credentials that only the embedded services accept. */
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

export function clientSettings(endpoints: Endpoints, service: Exclude<keyof Endpoints, 'lambda'>) {
  return { endpoint: endpoints[service], region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS };
}

/**
 * Environment that points an SDK in another process to the embedded services, and lets webhooks
 * reach this machine. It hides the AWS settings of the user who runs the stack.
 */
export function sdkEnvironment(endpoints: Endpoints): Record<string, string> {
  return {
    AWS_REGION: LOCAL_REGION,
    AWS_DEFAULT_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    // The SDK refuses them together with an endpoint.
    AWS_USE_FIPS_ENDPOINT: 'false',
    AWS_USE_DUALSTACK_ENDPOINT: 'false',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    // For an IP address the SDK puts the bucket's name into the path.
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_SNS: endpoints.sns,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    ...(endpoints.lambda !== undefined && { AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda }),
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    // Webhooks end on this machine, which on AWS would be Lambda's.
    SITECAST_ALLOW_LOOPBACK: 'true',
  };
}
