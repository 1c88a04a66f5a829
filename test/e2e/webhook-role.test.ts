import { ReceiveMessageCommand, type Message } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  LOCAL_ACCOUNT,
  LOCAL_REGION,
  sdkEnvironment,
} from '../../infra/local/embedded/endpoints.ts';
import { LambdaHost } from '../../infra/local/lambda/lambda-host.ts';
import { makeSqsEvent } from '../../infra/local/lambda/sqs-batch.ts';
import { noise } from '../support/samples.ts';
import { accessRequestsOf, keyRequestsOf, nameOf } from './least-privilege/access-request.ts';
import { recordCalls, type CallRecorder } from './least-privilege/call-recorder.ts';
import { decide } from './least-privilege/decision.ts';
import { KEY_POLICY, resourcePolicies, roleOf } from './least-privilege/policies.ts';
import { KEY_ARN } from './least-privilege/scenario.ts';
import { startTestStack, type TestStack } from './stack.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

let stack: TestStack;
let receiver: WebhookReceiver;
let recorder: CallRecorder;
let host: LambdaHost;
/** Address of the event source mapping in Lambda's API. */
let mapping: string;

beforeAll(async () => {
  receiver = await startReceiver();
  const { url: endpoint } = receiver;
  const hook = { name: 'hook', protocol: 'webhook', endpoint, allowPrivateAddress: true };
  stack = await startTestStack({ kmsKeyArn: KEY_ARN, subscribers: [hook] });
  recorder = await recordCalls(stack.endpoints);
  const webhook = stack.provisioned.functions.find(
    ({ environment }) => environment['SITECAST_WEBHOOK'] !== undefined,
  );
  if (webhook === undefined) throw new Error('the template lacks the function of the webhook');
  host = new LambdaHost(webhook, { sdkEnvironment: sdkEnvironment(recorder.endpoints) });
  // The test hands over the messages.
  const { uuid = '' } = stack.provisioned.mappings[0] ?? {};
  mapping = `${stack.lambdaUrl}/2015-03-31/event-source-mappings/${uuid}`;
  await fetch(mapping, { method: 'PUT', body: '{"Enabled":false}' });
  await vi.waitUntil(async () => (await (await fetch(mapping)).text()).includes('"Disabled"'), {
    timeout: 10_000,
  });
  stack.service.world.projects.create({ name: 'Harbour Office' });
  await stack.invoke();
});

afterAll(async () => {
  await host.kill();
  await stack.close();
  await Promise.all([recorder.close(), receiver.close()]);
});

async function receive(): Promise<readonly Message[]> {
  const { queueUrl: QueueUrl } = stack.provisioned.mappings[0] ?? {};
  const command = new ReceiveMessageCommand({
    ...{ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] },
  });
  return (await stack.clients.sqs.send(command)).Messages ?? [];
}

/** Publishes a change, and has the function deliver its event. */
async function deliver(name: string, status: number, description = ''): Promise<void> {
  receiver.status = status;
  const { projects, floorplans } = stack.service.world;
  const [project] = projects.list.all();
  floorplans.create(project?.id ?? '', { name, description });
  await stack.invoke();
  const { queueArn = '' } = stack.provisioned.mappings[0] ?? {};
  const messages = await receive();
  expect(messages).toHaveLength(1);
  // Nothing else is visible for it.
  if (status === 410) await fetch(mapping, { method: 'PUT', body: '{"Enabled":true}' });
  await host.invoke(makeSqsEvent(messages, queueArn));
}

it('has a role that allows its calls, and nothing else', async () => {
  await deliver('Level 1', 204);
  await deliver('Level 2', 204, noise(400_000));
  await deliver('Level 3', 503);
  await deliver('Level 4', 410);
  const { queueArn = '' } = stack.provisioned.mappings[0] ?? {};
  const { arn, logGroup, environment } = host.definition;
  const role = roleOf(stack, arn);
  const logStream = `arn:aws:logs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:log-group:${logGroup}:log-stream:1`;
  const [, deadLetters] =
    /\/([^/]+)$/.exec(environment['SITECAST_WEBHOOK_DEAD_LETTERS_URL'] ?? '') ?? [];
  const requests = [
    ...accessRequestsOf(recorder.calls(), stack.provisioned),
    // What Lambda asks in the name of the function.
    ...['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((action) => ({
      ...{ action: `sqs:${action}`, resource: queueArn },
    })),
    ...['CreateLogStream', 'PutLogEvents'].map((action) => ({
      ...{ action: `logs:${action}`, resource: logStream },
    })),
    // After three days.
    {
      action: 'sqs:SendMessage',
      resource: `arn:aws:sqs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${deadLetters}`,
    },
  ].map((request) => ({
    ...request,
    ...(request.action.startsWith('dynamodb:') && { partition: 'webhook#hook' }),
  }));
  expect(requests.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['lambda:UpdateEventSourceMapping', 's3:GetObject']),
  );
  const all = [...requests, ...keyRequestsOf(requests, KEY_ARN)];
  const policies = new Map([...resourcePolicies(stack), [KEY_ARN, KEY_POLICY]]);
  const decisions = await Promise.all(
    all.map(async (request) => ({ request, ...(await decide(request, role, policies)) })),
  );
  const denied = decisions.filter(({ result }) => result !== 'Allowed');
  expect(denied.map(({ request }) => nameOf(request))).toEqual([]);
  const used = new Set(decisions.flatMap(({ grants }) => grants));
  expect(role.grants.filter((grant) => !used.has(grant)).map(nameOf)).toEqual([]);
});

it('touches no other partition of the table', () => {
  const written = recorder.calls().filter(({ service }) => service === 'dynamodb');
  const partitions = JSON.stringify(written).matchAll(/"pk":\{"S":"([^"]+)"\}/g);
  expect(new Set([...partitions].map(([, pk]) => pk))).toEqual(new Set(['webhook#hook']));
});
