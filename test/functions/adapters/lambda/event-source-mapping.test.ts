import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, it, onTestFinished } from 'vitest';
import { LambdaMapping } from '../../../../functions/adapters/lambda/event-source-mapping.ts';
import { json, serve } from '../../../support/local-server.ts';

async function makeMapping(mappings: readonly object[]) {
  const lambda = await serve((response, { method }) =>
    json(response, 200, method === 'GET' ? { EventSourceMappings: mappings } : {}),
  );
  const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
  const client = new LambdaClient({ endpoint: lambda.url, region: 'eu-central-1', credentials });
  onTestFinished(() => {
    client.destroy();
  });
  return { mapping: new LambdaMapping('deliver', client), received: lambda.received };
}

it.each([
  ['Enabled', false, [['PUT', '{"Enabled":false}']]],
  ['Disabled', true, [['PUT', '{"Enabled":true}']]],
  ['Enabling', false, [['PUT', '{"Enabled":false}']]],
  ['Enabled', true, []],
  ['Disabled', false, []],
])('a mapping that is %s is told %s only if that changes it', async (State, isEnabled, changes) => {
  const { mapping, received } = await makeMapping([{ UUID: 'u1', State }]);
  expect(await mapping.state()).toBe(State);
  await mapping.setEnabled(isEnabled);
  const [first, , ...rest] = received;
  expect(first?.url).toBe('/2015-03-31/event-source-mappings?FunctionName=deliver');
  expect(rest.map(({ method, body }) => [method, body])).toEqual(changes);
  for (const { url } of rest) expect(url).toBe('/2015-03-31/event-source-mappings/u1');
});

it('a function without a mapping is named', async () => {
  const { mapping } = await makeMapping([]);
  await expect(mapping.setEnabled(true)).rejects.toThrow(
    'Function deliver has no event source mapping.',
  );
});
