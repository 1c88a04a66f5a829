import {
  GetEventSourceMappingCommand,
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { expect, it, onTestFinished } from 'vitest';
import { EventSourceMapping } from '../../../../infra/local/lambda/event-source-mapping.ts';
import { startInvokeServer } from '../../../../infra/local/lambda/invoke-server.ts';
import {
  FunctionError,
  FunctionThrottledError,
  type FunctionDefinition,
} from '../../../../infra/local/lambda/lambda-host.ts';
import { startClients } from '../../../support/embedded.ts';

const FUNCTIONS: Record<string, (event: unknown) => Promise<unknown>> = {
  echo: (event) => Promise.resolve({ event }),
  broken: () =>
    Promise.reject(new FunctionError({ errorType: 'TypeError', errorMessage: 'x', trace: ['at'] })),
  large: () => Promise.resolve('x'.repeat(6_300_000)),
  busy: () => Promise.reject(new FunctionThrottledError('Rate Exceeded.')),
};

const ARN = 'arn:aws:lambda:us-east-1:000000000000:function:';

async function startClient(mappings: readonly EventSourceMapping[] = []): Promise<LambdaClient> {
  const find = (nameOrArn: string) => {
    const name = nameOrArn.replace(ARN, '');
    const definition = { name, arn: ARN + name } as FunctionDefinition;
    const invoke = FUNCTIONS[name];
    return invoke && { invoke, definition };
  };
  const server = await startInvokeServer(() => ({ find, mappings }));
  onTestFinished(() => server.close());
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const endpoint = server.url;
  return new LambdaClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
}

async function start() {
  const client = await startClient();
  return async (FunctionName: string, Payload = '{}') => {
    const answer = await client.send(new InvokeCommand({ FunctionName, Payload }));
    return [answer.FunctionError, JSON.parse(answer.Payload?.transformToString() ?? '') as unknown];
  };
}

it('answers the SDK as Lambda does', async () => {
  const invoke = await start();
  expect(await invoke('echo', '{"a":[1]}')).toEqual([undefined, { event: { a: [1] } }]);
  expect(await invoke('broken')).toEqual([
    'Unhandled',
    { errorType: 'TypeError', errorMessage: 'x', trace: ['at'] },
  ]);
  expect(await invoke('large')).toMatchObject([
    'Unhandled',
    { errorType: 'Function.ResponseSizeTooLarge' },
  ]);
  await expect(invoke('nobody')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  await expect(invoke('busy')).rejects.toMatchObject({ name: 'TooManyRequestsException' });
  await expect(invoke('echo', '{')).rejects.toMatchObject({
    name: 'InvalidRequestContentException',
  });
});

it('runs invocations of one function one after the other', async () => {
  const invoke = await start();
  const order: string[] = [];
  FUNCTIONS['slow'] = async (event) => {
    order.push(`starts ${String(event)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push(`ends ${String(event)}`);
  };
  await Promise.all([invoke('slow', '1'), invoke('slow', '2')]);
  expect(order.map((line) => line.split(' ')[0])).toEqual(['starts', 'ends', 'starts', 'ends']);
});

/** A mapping of the function `echo` to a queue that does not exist: it never receives. */
async function idleMapping(uuid: string, queueArn: string): Promise<EventSourceMapping> {
  const { sqs } = await startClients();
  const definition = {
    ...{
      uuid,
      arn: `mapping/${uuid}`,
      functionArn: `${ARN}echo`,
      queueArn,
      queueUrl: 'http://q/0/q',
    },
    ...{ batchSize: 10, maxConcurrency: 7, hasItemFailures: true, isEnabled: true },
  };
  const options = {
    sqs,
    instances: [{ invoke: () => Promise.resolve() }],
    onProblem: () => undefined,
  };
  const mapping = new EventSourceMapping(definition, options);
  onTestFinished(() => mapping.close());
  return mapping;
}

it('lists, shows and switches event source mappings as Lambda does', async () => {
  const mapping = await idleMapping('1', 'queue-1');
  const client = await startClient([mapping, await idleMapping('2', 'queue-2')]);
  const list = async (input: object) => {
    const { EventSourceMappings = [] } = await client.send(
      new ListEventSourceMappingsCommand(input),
    );
    return EventSourceMappings.map(({ UUID }) => UUID);
  };
  expect(await list({})).toEqual(['1', '2']);
  expect(await list({ FunctionName: 'echo', EventSourceArn: 'queue-2' })).toEqual(['2']);
  expect(await list({ FunctionName: `${ARN}echo` })).toEqual(['1', '2']);
  expect(await list({ FunctionName: 'broken' })).toEqual([]);
  const get = () => client.send(new GetEventSourceMappingCommand({ UUID: '1' }));
  expect(await get()).toMatchObject({
    ...{ UUID: '1', EventSourceArn: 'queue-1', FunctionArn: `${ARN}echo`, BatchSize: 10 },
    ...{ State: 'Enabled', FunctionResponseTypes: ['ReportBatchItemFailures'] },
    ...{ ScalingConfig: { MaximumConcurrency: 7 }, LastModified: expect.any(Date) as Date },
  });
  const set = (Enabled: boolean) =>
    client.send(new UpdateEventSourceMappingCommand({ UUID: '1', Enabled }));
  expect(await set(false)).toMatchObject({ State: 'Disabling' });
  await expect(set(true)).rejects.toMatchObject({ name: 'ResourceInUseException' });
  await expect.poll(() => get(), { timeout: 5_000 }).toMatchObject({ State: 'Disabled' });
  expect(await set(true)).toMatchObject({ State: 'Enabled' });
});

it('refuses calls about mappings as Lambda does', async () => {
  const client = await startClient([await idleMapping('1', 'queue-1')]);
  const name = 'ResourceNotFoundException';
  const message = 'The resource you requested does not exist.';
  const unknown = { UUID: '3', Enabled: false };
  const get = client.send(new GetEventSourceMappingCommand(unknown));
  await expect(get).rejects.toMatchObject({ name, message });
  const put = client.send(new UpdateEventSourceMappingCommand(unknown));
  await expect(put).rejects.toMatchObject({ name, message });
  const list = client.send(new ListEventSourceMappingsCommand({ FunctionName: 'nobody' }));
  await expect(list).rejects.toMatchObject({ name, message: 'Function not found: nobody' });
  const change = client.send(new UpdateEventSourceMappingCommand({ UUID: '1', BatchSize: 2 }));
  await expect(change).rejects.toThrow('changes Enabled only');
});
