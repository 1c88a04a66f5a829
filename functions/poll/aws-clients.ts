import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';

/**
 * Connections of one client, which are kept. As many calls of one page are in flight at once: fewer
 * would make publishing a page take several rounds more than reading the next one.
 */
export const CONNECTIONS = 100;

/**
 * Milliseconds for one attempt; the SDK makes three. By default it waits for ever, or 300 s, and a
 * call that hangs would hold the run until it is killed.
 */
const requestHandler = {
  httpsAgent: { keepAlive: true, maxSockets: CONNECTIONS },
  connectionTimeout: 2_000,
  /** Until the answer's headers. */
  requestTimeout: 5_000,
  /** Without it, the request time-out is but a warning. */
  throwOnRequestTimeout: true,
  /** Without a byte: the request time-out does not cover the answer's body. */
  socketTimeout: 5_000,
};

/** The clients of AWS; region, credentials and endpoints are those of the environment. */
export function makeAwsClients() {
  return {
    // The cache of endpoint discovery is not in the bundle.
    dynamoDb: new DynamoDBClient({ requestHandler, endpointDiscoveryEnabled: false }),
    secretsManager: new SecretsManagerClient({ requestHandler }),
    sns: new SNSClient({ requestHandler }),
    sqs: new SQSClient({ requestHandler }),
  };
}
