import { describe, expect, it } from 'vitest';
import {
  keyRequestsOf,
  nameOf,
  type AccessRequest,
} from '../../../e2e/least-privilege/access-request.ts';
import { decide } from '../../../e2e/least-privilege/decision.ts';
import {
  KEY_POLICY,
  resourcePolicies,
  roleNamed,
  type Role,
} from '../../../e2e/least-privilege/policies.ts';
import { SURROUNDINGS } from '../../../support/config-samples.ts';
import { pretendDeployment } from '../../../support/pretend-deployment.ts';
import { idsOf, templateOf } from '../../synthesize.ts';

const { kmsKeyArn } = SURROUNDINGS;
const BUS = 'arn:aws:events:us-east-1:000000000000:event-bus/company';
const subscribers = [
  { name: 'orders', protocol: 'webhook', endpoint: 'https://orders.builder.eu/' },
  { name: 'stock', protocol: 'webhook', endpoint: 'https://stock.builder.eu/' },
  { name: 'company', protocol: 'eventBridge', endpoint: BUS },
];
const template = templateOf({ kmsKeyArn, subscribers });
const deployed = pretendDeployment(template);
const policies = new Map([...resourcePolicies(deployed), [kmsKeyArn, KEY_POLICY]]);

/** The ARN of the only resource whose logical id matches. */
function arnOf(type: string, id = /./): string {
  const found = [...deployed.provisioned.resources.values()].filter(
    (each) => each.type === `AWS::${type}` && id.test(each.logicalId),
  );
  expect(found, `${type} ${String(id)}`).toHaveLength(1);
  return found[0]?.attributes['Arn'] ?? '';
}

const partOf = (name: string, part = '') => new RegExp(`${idsOf(template, name)}.*${part}`);
const queueOf = (name: string) => arnOf('SQS::Queue', partOf(name, 'EventsQueue'));
const deadLettersOf = (name: string) => arnOf('SQS::Queue', partOf(name, 'DeadLetters'));
const secretOf = (name: string) => arnOf('SecretsManager::Secret', partOf(name));
const mappingOf = (name: string) => arnOf('Lambda::EventSourceMapping', partOf(name));
const roleOf = (id: RegExp) => roleNamed(deployed, arnOf('IAM::Role', id));
const table = arnOf('DynamoDB::Table');
const bucket = arnOf('S3::Bucket');

const on = (resource: string, ...actions: readonly string[]): AccessRequest[] =>
  actions.map((action) => ({ action, resource }));
const consuming = ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'];
const sqs = (names: readonly string[]) => names.map((name) => `sqs:${name}`);

/** All that the function of a webhook asks of AWS, and Lambda in its name. */
function requestsOf(name: string): AccessRequest[] {
  const logs = arnOf('Logs::LogGroup', partOf(name)).replace('*', 'log-stream:2026/01/31');
  return [
    ...on(logs, 'logs:CreateLogStream', 'logs:PutLogEvents'),
    ...on(queueOf(name), ...sqs([...consuming, 'ChangeMessageVisibility'])),
    ...on(deadLettersOf(name), 'sqs:SendMessage'),
    ...on(secretOf(name), 'secretsmanager:GetSecretValue'),
    ...on(`${bucket}/events/1.json`, 's3:GetObject'),
    ...['BatchGetItem', 'PutItem', 'UpdateItem'].map((action) => ({
      ...{ action: `dynamodb:${action}`, resource: table, partition: `webhook#${name}` },
    })),
    ...on('*', 'lambda:ListEventSourceMappings'),
    ...on(mappingOf(name), 'lambda:UpdateEventSourceMapping'),
  ];
}

const withKey = (requests: readonly AccessRequest[]) => [
  ...requests,
  ...keyRequestsOf(requests, kmsKeyArn),
];

async function resultsOf(requests: readonly AccessRequest[], role: Role) {
  const decisions = await Promise.all(requests.map((each) => decide(each, role, policies)));
  const used = new Set(decisions.flatMap(({ grants }) => grants));
  return {
    denied: requests.filter((_, i) => decisions[i]?.result !== 'Allowed').map(nameOf),
    unused: role.grants.filter((grant) => !used.has(grant)).map(nameOf),
  };
}

describe.each([
  ['the function of a webhook', partOf('orders', 'Role'), withKey(requestsOf('orders'))],
  [
    'the pipe to a bus',
    partOf('company', 'Role'),
    withKey([...on(queueOf('company'), ...sqs(consuming)), ...on(BUS, 'events:PutEvents')]),
  ],
])('the role of %s', (_, id, requests) => {
  it('is allowed all that it needs, and nothing else', async () => {
    expect(await resultsOf(requests, roleOf(id))).toEqual({ denied: [], unused: [] });
  });

  it('is denied queues and bucket without TLS', async () => {
    const guarded = requests.filter(({ action }) => /^(sqs|s3):/.test(action));
    for (const request of guarded) {
      const { result } = await decide(request, roleOf(id), policies, false);
      expect(result, nameOf(request)).toBe('ExplicitlyDenied');
    }
  });
});
