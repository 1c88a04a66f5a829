import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListSecretsCommand } from '@aws-sdk/client-secrets-manager';
import { ListTopicsCommand } from '@aws-sdk/client-sns';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { makeAwsClients } from '../../../functions/poll/aws-clients.ts';
import { rejection, serve } from '../adapters/local-server.ts';
import { stubEnvironment } from './environment.ts';

test.each(['does not answer', 'stops in the middle of its answer'])(
  'no client waits for ever when AWS %s',
  async (fault) => {
    const aws = await serve((response) => {
      if (fault === 'does not answer') return;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{');
    });
    stubEnvironment(aws.url);
    const { dynamoDb, secretsManager, sns, sqs } = makeAwsClients();

    const errors = await Promise.all([
      rejection(dynamoDb.send(new ListTablesCommand())),
      rejection(secretsManager.send(new ListSecretsCommand())),
      rejection(sns.send(new ListTopicsCommand())),
      rejection(sqs.send(new ListQueuesCommand())),
    ]);

    expect(errors.map((error) => (error as Error).name)).toEqual(Array(4).fill('TimeoutError'));
    expect(aws.received).toHaveLength(4);
    for (const client of [dynamoDb, secretsManager, sns, sqs]) client.destroy();
  },
);
