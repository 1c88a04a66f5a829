import { devNull } from 'node:os';

/** Where the embedded services listen, as base URLs on 127.0.0.1. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly s3: string;
  readonly sns: string;
  readonly sqs: string;
  readonly secretsManager: string;
}

/** The account that all local ARNs name; fauxqs knows no other. */
export const LOCAL_ACCOUNT = '000000000000';
/** The region that all local ARNs and endpoints name. */
export const LOCAL_REGION = 'us-east-1';
/** Accepted by every embedded service and by nothing else. */
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** What an SDK client needs to talk to one embedded service. */
export interface ClientSettings {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: typeof LOCAL_CREDENTIALS;
}

/** Settings of an SDK client for one of the embedded services. */
export function clientSettings(endpoints: Endpoints, service: keyof Endpoints): ClientSettings {
  return {
    endpoint: endpoints[service],
    region: LOCAL_REGION,
    credentials: LOCAL_CREDENTIALS,
  };
}

/**
 * The variables by which an SDK in another process finds the embedded services, and which keep it
 * from reading the settings of whoever runs the stack.
 */
export function sdkEnvironment(endpoints: Endpoints): Record<string, string> {
  return {
    AWS_REGION: LOCAL_REGION,
    AWS_DEFAULT_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    // An address without a name cannot have a bucket's name before it: the SDK sets that into the path.
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_SNS: endpoints.sns,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
  };
}
