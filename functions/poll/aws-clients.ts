import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';

/**
 * Connections of one client, and calls of one page in flight. With fewer, publishing a page takes longer
 * than reading the next page.
 */
export const CONNECTIONS = 100;

/**
 * Limits each of the SDK's three attempts, in milliseconds. By default a call that hangs would block the
 * run until Lambda kills it.
 */
export const requestHandler = {
  httpsAgent: { keepAlive: true, maxSockets: CONNECTIONS },
  connectionTimeout: 2_000,
  /** To the answer's headers. */
  requestTimeout: 5_000,
  /** Without it, the SDK only warns after requestTimeout. */
  throwOnRequestTimeout: true,
  /** Time without a byte: requestTimeout does not cover the answer's body. */
  socketTimeout: 5_000,
};

/** Clients of what each run needs, with the region, credentials and endpoints of the environment. */
export function makeAwsClients() {
  return {
    dynamoDb: new DynamoDBClient({ requestHandler, endpointDiscoveryEnabled: false }),
    secretsManager: new SecretsManagerClient({ requestHandler }),
    sns: new SNSClient({ requestHandler }),
  };
}
