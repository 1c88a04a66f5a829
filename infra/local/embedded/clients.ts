import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings, type Endpoints } from './endpoints.ts';

export type Clients = ReturnType<typeof makeClients>;

export function makeClients(endpoints: Endpoints) {
  const clients = {
    dynamodb: new DynamoDBClient(clientSettings(endpoints, 'dynamodb')),
    s3: new S3Client(clientSettings(endpoints, 's3')),
    secretsManager: new SecretsManagerClient(clientSettings(endpoints, 'secretsManager')),
    sns: new SNSClient(clientSettings(endpoints, 'sns')),
    sqs: new SQSClient(clientSettings(endpoints, 'sqs')),
  };
  return {
    ...clients,
    endpoints,
    destroy: (): void => {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}
