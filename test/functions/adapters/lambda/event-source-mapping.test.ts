import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, it, onTestFinished } from 'vitest';
import { LambdaMapping } from '../../../../functions/adapters/lambda/event-source-mapping.ts';
import { json, serve } from '../../../support/local-server.ts';

/** @param states of the mapping in turn. Those that end in -ing refuse a change. */
async function makeMapping(states: readonly string[], maxWaitMs = 5000) {
  const left = [...states];
  const changes: string[] = [];
  let State = left.shift();
  const lambda = await serve((response, { method, url, body }) => {
    if (method === 'GET') {
      const EventSourceMappings = State === undefined ? [] : [{ UUID: 'u1', State }];
      return void json(response, 200, { EventSourceMappings });
    }
    changes.push(`${method} ${url} ${body}`);
    const isChanging = State?.endsWith('ing') === true;
    State = left.shift() ?? State;
    if (!isChanging) return void json(response, 202, {});
    response.setHeader('x-amzn-errortype', 'ResourceInUseException');
    json(response, 400, { Message: 'in use' });
  });
  const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
  const client = new LambdaClient({ endpoint: lambda.url, region: 'eu-central-1', credentials });
  onTestFinished(() => {
    client.destroy();
  });
  const mapping = new LambdaMapping('deliver', { client, maxWaitMs, pollMs: 20 });
  return { mapping, changes, received: lambda.received };
}

const PUT = 'PUT /2015-03-31/event-source-mappings/u1';

it.each([
  ['Enabled', false, [`${PUT} {"Enabled":false}`]],
  ['Disabled', true, [`${PUT} {"Enabled":true}`]],
  ['Enabled', true, []],
  ['Disabled', false, []],
])('a mapping that is %s gets %s only if that changes it', async (State, isEnabled, expected) => {
  const { mapping, changes, received } = await makeMapping([State]);
  expect(await mapping.state()).toBe(State);
  await mapping.setEnabled(isEnabled);
  expect(changes).toEqual(expected);
  expect(received[0]?.url).toBe('/2015-03-31/event-source-mappings?FunctionName=deliver');
});

it.each([
  ['is still changing', ['Disabling', 'Updating', 'Disabled'], true, 3],
  ['another invocation disables at the same time', ['Updating', 'Disabling'], false, 1],
])('a mapping that %s is waited for', async (_, states, isEnabled, count) => {
  const { mapping, changes } = await makeMapping(states);
  await mapping.setEnabled(isEnabled);
  expect(changes).toHaveLength(count);
});

it('a mapping is not stopped if that is no longer wanted once an earlier change has taken effect', async () => {
  const { mapping, changes } = await makeMapping(['Enabling', 'Enabled']);
  await mapping.setEnabled(false, () => Promise.resolve(changes.length === 0));
  expect(changes).toHaveLength(1);
  expect(await mapping.state()).toBe('Enabled');
});

it('a function without a mapping is named', async () => {
  const { mapping } = await makeMapping([]);
  expect(await mapping.state()).toBe('missing');
  await expect(mapping.setEnabled(true)).rejects.toThrow(
    'Function deliver has no event source mapping.',
  );
});
