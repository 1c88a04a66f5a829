import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../infra/local/embedded/endpoints.ts';
import { startLocalStack, type LocalStack } from '../../infra/local/stack/local-stack.ts';
import {
  accessRequestsOf,
  keyRequestsOf,
  nameOf,
  type AccessRequest,
} from './least-privilege/access-request.ts';
import { recordCalls, type CallRecorder } from './least-privilege/call-recorder.ts';
import { decide, type Decision } from './least-privilege/decision.ts';
import {
  KEY_POLICY,
  resourcePolicies,
  roleOf,
  type ResourcePolicies,
  type Role,
} from './least-privilege/policies.ts';
import { KEY_ARN, makePollerDoEverything, SCENARIO_CONFIG } from './least-privilege/scenario.ts';
import { SMALL_SITE } from './stack.ts';

let stack: LocalStack | undefined;
let recorder: CallRecorder | undefined;
let role: Role;
let policies: ResourcePolicies;
/** All access requests of the poller with the decisions of IAM. */
let decisions: { readonly request: AccessRequest; readonly decision: Decision }[];

beforeAll(async () => {
  stack = await startLocalStack({
    config: SCENARIO_CONFIG,
    service: { size: SMALL_SITE },
    endpointsOfFunction: async (endpoints) => {
      recorder = await recordCalls(endpoints);
      return recorder.endpoints;
    },
  });
  if (!recorder || !stack.service) throw new Error('the stack lacks its recorder or its service');
  await makePollerDoEverything(stack, stack.service);
  role = roleOf(stack, stack.schedules[0]?.targetArn ?? '');
  policies = new Map([...resourcePolicies(stack), [KEY_ARN, KEY_POLICY]]);
  const requests = [
    ...accessRequestsOf(recorder.calls(), stack.provisioned),
    ...requestsOfThePlatform(stack),
  ];
  requests.push(...keyRequestsOf(requests, KEY_ARN));
  decisions = await Promise.all(
    requests.map(async (request) => ({ request, decision: await decide(request, role, policies) })),
  );
});

afterAll(async () => {
  await stack?.close();
  await recorder?.close();
});

/** Access requests of Lambda itself in the poller's name. */
function requestsOfThePlatform({ provisioned, schedules }: LocalStack): AccessRequest[] {
  const poller = provisioned.functions.find(({ arn }) => arn === schedules[0]?.targetArn);
  const logGroup = `arn:aws:logs:${LOCAL_REGION}:${LOCAL_ACCOUNT}:log-group:${poller?.logGroup ?? ''}`;
  const logStream = `${logGroup}:log-stream:2026/01/31/[$LATEST]1`;
  return [
    // Each process of the function writes to a log stream of its own.
    { action: 'logs:CreateLogStream', resource: logStream },
    { action: 'logs:PutLogEvents', resource: logStream },
  ];
}

describe("the poller's role", () => {
  it('is allowed every call that the poller makes', () => {
    const denied = decisions.filter(({ decision }) => decision.result !== 'Allowed');
    expect(denied.map(({ request }) => nameOf(request))).toEqual([]);
  });

  it('is the only one that may publish, whatever another role is allowed', async () => {
    const other = { ...role, arn: role.arn.replace('PollerRole', 'OtherRole') };
    const publishing = decisions.filter(({ request }) => request.action === 'sns:Publish');
    expect(publishing.length).toBeGreaterThan(0);
    for (const { request } of publishing) {
      const { result } = await decide(request, other, policies);
      expect(result).toBe('ExplicitlyDenied');
    }
  });

  it('is allowed nothing else', () => {
    const used = new Set(decisions.flatMap(({ decision }) => decision.grants));
    const unused = role.grants.filter((grant) => !used.has(grant));
    expect(unused.map(nameOf)).toEqual([]);
  });

  it('names each action and each resource', () => {
    const broad = role.grants.map(nameOf).filter((name) => /[*?]/.test(name));
    // Streams of the function's own log group come and go, so they have no names to be given.
    // Each large event has a name of its own.
    expect(broad).toEqual([
      expect.stringMatching(/^logs:CreateLogStream on arn:[^*?]+:log-group:[^*?]+:\*$/),
      expect.stringMatching(/^logs:PutLogEvents on arn:[^*?]+:log-group:[^*?]+:\*$/),
      expect.stringMatching(/^s3:PutObject on arn:aws:s3:::[^*?]+\/events\/\*$/),
      expect.stringMatching(/^s3:PutObject on arn:aws:s3:::[^*?]+\/quarantine\/\*$/),
    ]);
    expect(role.grants.length).toBeGreaterThan(broad.length);
  });

  it('is denied the topic and the bucket without TLS', async () => {
    const guarded = decisions.map(({ request }) => request).filter(isForTopicOrBucket);
    expect(guarded).toHaveLength(3);
    for (const request of guarded) {
      const { result } = await decide(request, role, policies, false);
      expect(result, nameOf(request)).toBe('ExplicitlyDenied');
    }
  });
});

function isForTopicOrBucket({ action }: AccessRequest): boolean {
  return /^(sns|s3):/.test(action);
}
