import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { requestHandler } from '../adapters/shared/request-handler.ts';

/** Clients of what each run needs, with the region, credentials and endpoints of the environment. */
export function makeAwsClients() {
  return {
    dynamoDb: new DynamoDBClient({ requestHandler, endpointDiscoveryEnabled: false }),
    secretsManager: new SecretsManagerClient({ requestHandler }),
    sns: new SNSClient({ requestHandler }),
  };
}
