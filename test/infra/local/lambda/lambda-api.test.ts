import {
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { expect, it, onTestFinished } from 'vitest';
import type { EventSourceMapping } from '../../../../infra/local/lambda/event-source-mapping.ts';
import { startLambdaApi } from '../../../../infra/local/lambda/lambda-api.ts';
import {
  FunctionError,
  type FunctionDefinition,
} from '../../../../infra/local/lambda/lambda-function.ts';

const ARN = 'arn:aws:lambda:us-east-1:000000000000:function:echo';

/** A client of an API with the function `echo`, which fails if the event says so. */
async function startClient() {
  const definition = { name: 'echo', arn: ARN } as FunctionDefinition;
  const error = { errorType: 'TypeError', errorMessage: 'x', trace: ['at'] };
  const invoke = (event: unknown): Promise<unknown> =>
    event === 'fail' ? Promise.reject(new FunctionError(error)) : Promise.resolve({ event });
  const mapping = {
    definition: { uuid: '1', functionArn: ARN, queueArn: 'queue', batchSize: 10 },
    state: 'Enabled',
    setEnabled: (isEnabled: boolean) => {
      mapping.state = isEnabled ? 'Enabled' : 'Disabling';
    },
  };
  const find = (name: string) =>
    [ARN, 'echo'].includes(name) ? { invoke, definition } : undefined;
  const server = await startLambdaApi(() => ({
    find,
    mappings: [mapping as unknown as EventSourceMapping],
  }));
  onTestFinished(() => server.close());
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new LambdaClient({ endpoint: server.url, region: 'us-east-1', credentials });
}

it('invokes functions as Lambda does', async () => {
  const client = await startClient();
  const invoke = async (FunctionName: string, event: unknown) => {
    const Payload = JSON.stringify(event);
    const answer = await client.send(new InvokeCommand({ FunctionName, Payload }));
    return [answer.FunctionError, JSON.parse(answer.Payload?.transformToString() ?? '') as unknown];
  };
  expect(await invoke('echo', [1])).toEqual([undefined, { event: [1] }]);
  const failed = { errorType: 'TypeError', errorMessage: 'x', trace: ['at'] };
  expect(await invoke(ARN, 'fail')).toEqual(['Unhandled', failed]);
  await expect(invoke('nobody', {})).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

it('lists and switches event source mappings as Lambda does', async () => {
  const client = await startClient();
  const list = async (FunctionName: string) =>
    (await client.send(new ListEventSourceMappingsCommand({ FunctionName }))).EventSourceMappings;
  expect(await list('other')).toEqual([]);
  expect(await list('echo')).toMatchObject([{ UUID: '1', FunctionArn: ARN, State: 'Enabled' }]);
  const disable = (UUID: string) =>
    client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
  expect(await disable('1')).toMatchObject({ State: 'Disabling' });
  await expect(disable('2')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});
