import {
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  type EventSourceMappingConfiguration,
} from '@aws-sdk/client-lambda';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { CloudEvent } from 'cloudevents';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type {
  WebhookListAnswer,
  WebhookRequest,
  WebhookRequestAnswer,
} from '../../functions/control/protocol.ts';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import { clientSettings } from '../../infra/local/embedded/endpoints.ts';
import type { Subscriber } from '../../infra/local/stack/subscriber.ts';
import { noise } from '../support/samples.ts';
import { startQuickRetries } from './quick-retries.ts';
import { eventOf, startProxiedStack, type TestStack } from './stack.ts';
import { startReceiver, verifyPosts, type WebhookReceiver } from './webhook-receiver.ts';

/** A tick of the poller, and the time that a loaded machine takes. */
const SOON = { timeout: 20_000, interval: 50 };

const closers: (() => Promise<void>)[] = [];
let stack: TestStack;
let everything: Subscriber;
let lambda: LambdaClient;
let steady: WebhookReceiver;
let shaky: WebhookReceiver;
let projectIds: string[];

/** A stack with a webhook for each receiver, whose waits are short. */
async function startWebhookStack(
  config: object,
  receivers: Readonly<Record<string, WebhookReceiver>>,
): Promise<TestStack> {
  const subscribers = Object.entries(receivers).map(([name, { url: endpoint }]) => ({
    ...{ name, protocol: 'webhook', endpoint, allowPrivateAddress: true },
  }));
  const started = await startProxiedStack('sqs', startQuickRetries, {
    ...{ requestsPerMinute: 60_000, subscribers },
    ...config,
  });
  closers.push(async () => {
    await started.close();
    await Promise.all(Object.values(receivers).map((each) => each.close()));
  });
  return started;
}

beforeAll(async () => {
  [steady, shaky] = [await startReceiver(), await startReceiver()];
  stack = await startWebhookStack({}, { steady, shaky });
  lambda = new LambdaClient({
    ...clientSettings(stack.endpoints, 'sqs'),
    endpoint: stack.endpoints.lambda,
  });
  everything = await stack.subscribe();
  const { projects } = stack.service.world;
  projectIds = Array.from({ length: 12 }, (_, n) => projects.create({ name: `Site ${n}` }).id);
  await stack.invoke();
});

afterAll(async () => {
  lambda.destroy();
  await Promise.all(closers.map((close) => close()));
});

beforeEach(() => {
  shaky.status = 204;
});

/** Changes some projects, and returns the ids of their events. */
async function publish(count: number, name: string): Promise<string[]> {
  for (const id of projectIds.slice(0, count)) stack.service.world.projects.update(id, { name });
  await stack.invoke();
  const ids = (await everything.drain()).map((delivery) => eventOf(delivery).id);
  expect(ids).toHaveLength(count);
  return ids;
}

const secretOf = (name: string): string =>
  stack.webhooks.find((webhook) => webhook.name === name)?.secret ?? '';

const hasTaken = ({ taken }: WebhookReceiver, ids: readonly string[]) =>
  expect.poll(() => ids.filter((id) => !taken().includes(id)), SOON).toEqual([]);

async function mappingOf(webhook: string): Promise<EventSourceMappingConfiguration> {
  const { functions } = stack.provisioned;
  const named = functions.find(({ environment }) =>
    environment['SITECAST_WEBHOOK']?.includes(`"name":"${webhook}"`),
  );
  const list = new ListEventSourceMappingsCommand({ FunctionName: named?.name });
  const { EventSourceMappings: [mapping = {}] = [] } = await lambda.send(list);
  return mapping;
}

/** Sends a command to the control function, as operators do. */
async function ask(request: WebhookRequest): Promise<WebhookRequestAnswer> {
  const { ControlFunctionName: FunctionName } = stack.provisioned.outputs;
  const Payload = JSON.stringify(request);
  const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload }));
  return JSON.parse(answer.Payload?.transformToString() ?? '') as WebhookRequestAnswer;
}

it('posts every event to every webhook, whole, signed with its own secret', async () => {
  const [first = ''] = projectIds;
  const ids = await publish(12, 'renamed');
  await Promise.all([hasTaken(steady, ids), hasTaken(shaky, ids)]);
  const { body, headers } = steady.posts.find(({ id }) => ids.includes(id)) ?? { body: '{}' };
  const event = JSON.parse(body) as ChangeEvent;
  expect(new CloudEvent({ ...event }).validate()).toBe(true);
  expect(event.type).toBe('project.updated');
  expect(headers).toMatchObject({
    'content-type': 'application/cloudevents+json',
    'webhook-id': event.id,
  });
  // A large event is posted whole, although the topic had a claim check.
  const description = noise(400_000);
  stack.service.world.floorplans.create(first, { name: 'Level 1', description });
  await stack.invoke();
  const [large] = (await everything.drain()).map((delivery) => eventOf(delivery).id);
  await hasTaken(steady, [large ?? '']);
  const { body: whole = '' } = steady.posts.find(({ id }) => id === large) ?? {};
  expect((JSON.parse(whole) as ChangeEvent).data.object).toMatchObject({ description });
  expect(secretOf('steady')).not.toBe(secretOf('shaky'));
  verifyPosts(steady.posts, secretOf('steady'));
  verifyPosts(shaky.posts, secretOf('shaky'));
  expect(() => {
    verifyPosts(steady.posts, secretOf('shaky'));
  }).toThrow('No matching signature');
});

it('posts an event again with the same id until its endpoint is back, and delays no other one', async () => {
  const posted = shaky.posts.length;
  shaky.status = 503;
  const startedAt = Date.now();
  const ids = await publish(4, 'during an outage');
  await hasTaken(steady, ids);
  const attempts = () => shaky.posts.slice(posted).filter(({ id }) => ids.includes(id));
  await expect.poll(() => attempts().length, SOON).toBeGreaterThanOrEqual(10);
  expect(shaky.taken().filter((id) => ids.includes(id))).toEqual([]);
  shaky.status = 204;
  await hasTaken(shaky, ids);
  expect(new Set(attempts().map(({ id }) => id))).toEqual(new Set(ids));
  verifyPosts(shaky.posts, secretOf('shaky'));
  const log = stack.logs.filter((line) => line.includes('Webhook attempt')).join('\n');
  expect(log).toContain('"outcome":"failed"');
  expect(log).not.toContain(secretOf('shaky').slice('whsec_'.length));
  expect(Date.now() - startedAt).toBeGreaterThan(1_000);
});

it('delays no other webhook while an endpoint does not answer, and loses nothing when its function is killed', async () => {
  const { UUID } = await mappingOf('shaky');
  const queue = stack.provisioned.mappings.find(({ uuid }) => uuid === UUID);
  await stack.clients.sqs.send(
    new SetQueueAttributesCommand({
      QueueUrl: queue?.queueUrl,
      Attributes: { VisibilityTimeout: '3' },
    }),
  );
  shaky.status = undefined;
  const [first = ''] = await publish(1, 'no answer');
  const attempt = () => shaky.posts.find(({ id }) => id === first);
  await expect.poll(attempt, SOON).toBeDefined();
  const others = await publish(3, 'meanwhile');
  await hasTaken(steady, [first, ...others]);
  expect(attempt()?.isOpen()).toBe(true);
  await stack.killFunction();
  shaky.status = 204;
  await hasTaken(shaky, [first, ...others]);
});

it('stops at an endpoint that is gone, keeps its events, and posts them once it is enabled', async () => {
  shaky.status = 410;
  const [gone = ''] = await publish(1, 'gone');
  await expect.poll(async () => (await mappingOf('shaky')).State, SOON).toBe('Disabled');
  expect((await mappingOf('steady')).State).toBe('Enabled');
  const posted = shaky.posts.length;
  shaky.status = 204;
  const ids = await publish(5, 'while it is disabled');
  await hasTaken(steady, ids);
  expect(shaky.posts).toHaveLength(posted);
  const listed = { name: 'shaky', state: 'disabled', disabledBy: '410' };
  const answer = (await ask({ command: 'webhook-list' })) as WebhookListAnswer;
  expect(answer).toMatchObject({ webhooks: [{ name: 'steady' }, listed] });
  // More if a killed function held a batch in the test before.
  expect(answer.webhooks[1]?.waitingCount).toBeGreaterThanOrEqual(6);
  expect(await ask({ command: 'webhook-enable', name: 'shaky' })).toEqual({
    command: 'webhook-enable',
    name: 'shaky',
  });
  await hasTaken(shaky, [...ids, gone]);
  const tested = await ask({ command: 'webhook-test', name: 'shaky' });
  await hasTaken(shaky, ['id' in tested ? String(tested.id) : '']);
});
