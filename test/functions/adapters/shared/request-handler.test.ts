import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListTopicsCommand, SNSClient } from '@aws-sdk/client-sns';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { requestHandler } from '../../../../functions/adapters/shared/request-handler.ts';
import { rejection, serve } from '../../../support/local-server.ts';
import { stubEnvironment } from '../../poll/environment.ts';

it('no client waits for ever when AWS does not answer, or stops in the middle of its answer', async () => {
  const asked = new Set<string>();
  const stopped: string[] = [];
  const aws = await serve((response, { headers }) => {
    const service = /\/([a-z]+)\/aws4_request/.exec(headers.authorization ?? '')?.[1] ?? '';
    // The first call of each client has no answer, the second one the beginning of one.
    if (!asked.has(service)) {
      asked.add(service);
      return;
    }
    stopped.push(service);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{');
  });
  stubEnvironment(aws.url);
  const dynamoDb = new DynamoDBClient({ requestHandler });
  const secretsManager = new SecretsManagerClient({ requestHandler });
  const sns = new SNSClient({ requestHandler });
  const sqs = new SQSClient({ requestHandler });
  const callAll = () => [
    rejection(dynamoDb.send(new ListTablesCommand())),
    rejection(secretsManager.send(new ListSecretsCommand())),
    rejection(sns.send(new ListTopicsCommand())),
    rejection(sqs.send(new ListQueuesCommand())),
  ];
  const errors = await Promise.all([...callAll(), ...callAll()]);
  expect(errors.map((error) => (error as Error).name)).toEqual(Array(8).fill('TimeoutError'));
  expect(stopped.sort()).toEqual(['dynamodb', 'secretsmanager', 'sns', 'sqs']);
  expect(aws.received).toHaveLength(8);
  for (const client of [dynamoDb, secretsManager, sns, sqs]) client.destroy();
});
