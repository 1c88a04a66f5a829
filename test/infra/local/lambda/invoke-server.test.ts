import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { expect, it, onTestFinished } from 'vitest';
import { startInvokeServer } from '../../../../infra/local/lambda/invoke-server.ts';
import {
  FunctionError,
  FunctionThrottledError,
} from '../../../../infra/local/lambda/lambda-host.ts';

const FUNCTIONS: Record<string, (event: unknown) => Promise<unknown>> = {
  echo: (event) => Promise.resolve({ event }),
  broken: () =>
    Promise.reject(new FunctionError({ errorType: 'TypeError', errorMessage: 'x', trace: ['at'] })),
  large: () => Promise.resolve('x'.repeat(6_300_000)),
  busy: () => Promise.reject(new FunctionThrottledError('Rate Exceeded.')),
};

async function start() {
  const server = await startInvokeServer((name) => {
    const invoke = FUNCTIONS[name];
    return invoke && { invoke };
  });
  onTestFinished(() => server.close());
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const endpoint = server.url;
  const client = new LambdaClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
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
