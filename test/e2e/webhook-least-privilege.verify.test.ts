import { createServer } from 'node:http';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { toClaimCheck } from '../../functions/core/events/make-event.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../infra/local/embedded/endpoints.ts';
import { startListening, type LocalServer } from '../../infra/local/embedded/http-server.ts';
import { startLocalStack, type LocalStack } from '../../infra/local/stack/local-stack.ts';
import { eventOf } from '../support/samples.ts';
import {
  accessRequestsOf,
  keyRequestsOf,
  nameOf,
  type AccessRequest,
} from './least-privilege/access-request.ts';
import { recordCalls, type CallRecorder } from './least-privilege/call-recorder.ts';
import { decide, type Decision } from './least-privilege/decision.ts';
import { KEY_POLICY, resourcePolicies, roleOf, type Role } from './least-privilege/policies.ts';
import { KEY_ARN } from './least-privilege/scenario.ts';
import { SMALL_SITE } from './stack.ts';

/** Time for a message to reach the endpoint, on a loaded machine. */
const SOON = { timeout: 20_000, interval: 50 };
const PARTITION = 'webhook#orders';

let endpoint: LocalServer | undefined;
/** What the endpoint answers. */
let status = 204;
let answeredCount = 0;
let stack: LocalStack | undefined;
let recorder: CallRecorder | undefined;
let role: Role;
let decisions: { readonly request: AccessRequest; readonly decision: Decision }[];

beforeAll(async () => {
  endpoint = await startListening(
    createServer((_, response) => {
      answeredCount += 1;
      response.writeHead(status).end();
    }),
  );
  const webhook = { name: 'orders', protocol: 'webhook', allowPrivateAddress: true };
  stack = await startLocalStack({
    config: { kmsKeyArn: KEY_ARN, subscribers: [{ ...webhook, endpoint: endpoint.url }] },
    service: { size: SMALL_SITE },
    endpointsOfFunction: async (endpoints) => {
      recorder = await recordCalls(endpoints);
      return recorder.endpoints;
    },
  });
  if (recorder === undefined) throw new Error('the function was given no endpoints');
  await makeWebhookDoEverything(stack, recorder);
  const deliver = functionOf(stack.provisioned);
  role = roleOf(stack, deliver?.arn ?? '');
  const requests = [
    ...accessRequestsOf(recorder.calls(), stack.provisioned),
    ...requestsOfThePlatform(stack),
  ].map((request) =>
    request.action.startsWith('dynamodb:') ? { ...request, partition: PARTITION } : request,
  );
  requests.push(...keyRequestsOf(requests, KEY_ARN));
  const policies = new Map([...resourcePolicies(stack), [KEY_ARN, KEY_POLICY]]);
  decisions = await Promise.all(
    requests.map(async (request) => ({ request, decision: await decide(request, role, policies) })),
  );
});

afterAll(async () => {
  await stack?.close();
  await recorder?.close();
  await endpoint?.close();
});

function functionOf({ functions }: LocalStack['provisioned']) {
  return functions.find(({ environment }) => 'SITECAST_WEBHOOK' in environment);
}

/** Delivers an event and a large one; another is none, fails, or finds the endpoint gone. */
async function makeWebhookDoEverything(
  { clients, provisioned: { outputs } }: LocalStack,
  callRecorder: CallRecorder,
): Promise<void> {
  const { QueueUrlorders: QueueUrl, LargeEventsBucket: Bucket = '' } = outputs;
  const post = async (body: object, answer: number): Promise<void> => {
    const before = answeredCount;
    status = answer;
    await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
    await vi.waitFor(() => {
      expect(answeredCount).toBe(before + 1);
    }, SOON);
  };
  const madeCall = (name: string) =>
    vi.waitFor(() => {
      expect(callRecorder.calls().map(({ operation }) => operation)).toContain(name);
    }, SOON);
  const large = eventOf('f1');
  const Key = `events/${large.id}.json`;
  const Body = JSON.stringify(large);
  await clients.s3.send(new PutObjectCommand({ Bucket, Key, Body }));
  await post(eventOf('f2'), 204);
  await post(toClaimCheck(large, `s3://${Bucket}/${Key}`), 204);
  await post(eventOf('f3'), 500);
  await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'no event' }));
  await madeCall('SendMessage');
  await post(eventOf('f4'), 410);
  await madeCall('UpdateEventSourceMapping');
}

/** Access requests of Lambda in the function's name: it reads the queue and writes the log. */
function requestsOfThePlatform({ provisioned }: LocalStack): AccessRequest[] {
  const { logGroup = '' } = functionOf(provisioned) ?? {};
  const logStream = `arn:aws:logs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:log-group:${logGroup}:log-stream:2026/01/31`;
  const QueueUrl = provisioned.outputs['QueueUrlorders'];
  const polling = ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'].map((operation) => ({
    ...{ service: 'sqs' as const, operation, input: { QueueUrl } },
  }));
  return [
    { action: 'logs:CreateLogStream', resource: logStream },
    { action: 'logs:PutLogEvents', resource: logStream },
    ...accessRequestsOf(polling, provisioned),
  ];
}

describe("the role of a webhook's function", () => {
  it('is allowed every call that the function makes', () => {
    const denied = decisions.filter(({ decision }) => decision.result !== 'Allowed');
    expect(denied.map(({ request }) => nameOf(request))).toEqual([]);
  });

  it('is allowed nothing else', () => {
    const used = new Set(decisions.flatMap(({ decision }) => decision.grants));
    expect(role.grants.filter((grant) => !used.has(grant)).map(nameOf)).toEqual([]);
  });

  it("reads and writes the webhook's own part of the table", () => {
    const calls = recorder?.calls().filter(({ service }) => service === 'dynamodb') ?? [];
    const partitions = calls.flatMap(({ input }) => [
      ...JSON.stringify(input).matchAll(/"pk":\{"S":"([^"]+)"\}/g),
    ]);
    expect(new Set(partitions.map(([, partition]) => partition))).toEqual(new Set([PARTITION]));
  });
});
