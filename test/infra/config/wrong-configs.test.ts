import { describe, expect, it } from 'vitest';
import { ConfigInvalidError, parseConfig } from '../../../infra/config/config.ts';
import { ADDRESSES } from '../../support/config-samples.ts';

const ARN = 'eu-central-1:123456789012';
const LIST = { name: 'checklists', entity: 'checklist', path: '/projects/{project_id}/checklists' };
const SQS = { name: 'queue', protocol: 'sqs', endpoint: `arn:aws:sqs:${ARN}:orders` };
const LAMBDA = {
  ...{ name: 'function', protocol: 'lambda' },
  endpoint: `arn:aws:lambda:${ARN}:function:orders`,
};
const STREAM = {
  ...{ name: 'lake', protocol: 'firehose' },
  endpoint: `arn:aws:firehose:${ARN}:deliverystream/orders`,
  subscriptionRoleArn: 'arn:aws:iam::123456789012:role/service-role/firehose',
};
const WEBHOOK = { name: 'orders', protocol: 'webhook', endpoint: 'https://hook.example/' };
const BUS = {
  ...{ name: 'bus', protocol: 'eventBridge' },
  endpoint: `arn:aws:events:${ARN}:event-bus/orders`,
};
const VPC = { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] };
const KEY = `arn:aws:kms:${ARN}:key/876c7fcc-4f08-4090-945e-d20f16c243ec`;
const TABLE = `arn:aws:dynamodb:${ARN}:table/old-table`;
const SECRET = `arn:aws:secretsmanager:${ARN}:secret:token-AbCdEf`;
const ALARMS = `arn:aws:sns:${ARN}:alarms`;

/** The problems, without the first line and without `notifier.dev.` before each. */
function problemsOf(fields: object): string[] {
  try {
    parseConfig({ dev: { ...ADDRESSES, ...fields } });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigInvalidError);
    const [, ...lines] = (error as Error).message.split('\n');
    return lines.map((line) => line.replace('  notifier.dev.', ''));
  }
  return [];
}

/** Fields, and the start of their only problem. A value that is refused follows `is`. */
const WRONG: readonly (readonly [fields: object, problem: string])[] = [
  [{ baseUrl: undefined }, 'baseUrl is missing'],
  [{ baseUrl: 'http://api.example.com' }, 'baseUrl is "http:'],
  [{ baseUrl: 'https://api.example.com/api/v3' }, 'baseUrl is "https:'],
  [{ authUrl: 'https://auth.example.com/api_keys/jwt' }, 'authUrl is "https:'],
  [{ authUrl: 'https://auth.example.com/?a=b' }, 'authUrl is "https:'],
  [{ baseUrl: 'https://me:secret@api.example.com' }, 'baseUrl is "https://…@api.example.com"'],
  [{ colour: 'red' }, 'colour is not known; allowed: the fields baseUrl, '],
  [{ everyMinutes: 61 }, 'everyMinutes is 61; allowed: a whole number of minutes from 1 to 60'],
  [
    { everyMinutes: '1' },
    'everyMinutes is "1"; allowed: a whole number of minutes from 1 to 60, w',
  ],
  [{ serviceVersion: '2021-02-30' }, 'serviceVersion is "2021-02-30"'],
  [{ withCurrentSheet: 'yes' }, 'withCurrentSheet is "yes"; allowed: true or false'],
  [{ shards: 3 }, 'shards is 3; allowed: one of 1, 2, 4, 8, 16'],
  [{ shards: 32 }, 'shards is 32'],
  [{ shards: 8, requestsPerMinute: 7 }, 'requestsPerMinute is 7'],
  [{ perPage: 1.5 }, 'perPage is 1.5'],
  [{ maxWaitSeconds: 119 }, 'maxWaitSeconds is 119; allowed: at least 120'],
  [{ pollEverySeconds: 45 }, 'pollEverySeconds is 45; allowed: less than 45'],
  [{ baseline: 'loud' }, 'baseline is "loud"; allowed: "silent" or "emit"'],
  [{ memoryMb: 128 }, 'memoryMb is 128'],
  [{ timeoutSeconds: 56 }, 'timeoutSeconds is 56'],
  [{ retentionDays: 0 }, 'retentionDays is 0'],
  [{ logRetentionDays: 2 }, 'logRetentionDays is 2'],
  [{ resources: ['floorplan'] }, 'resources[0] is "floorplan"'],
  [{ projects: [] }, 'projects is []'],
  [{ projects: ['Tower *'] }, 'projects[0] is "Tower *"; allowed: the id of a project, not its n'],
  [{ reconcile: { schedule: 'rate(5 minutes)' } }, 'reconcile.schedule is "rate(5 minutes)"'],
  [{ reconcile: { maxMissingShare: 1.1 } }, 'reconcile.maxMissingShare is 1.1'],
  [{ reconcile: { maxShare: 1 } }, 'reconcile.maxShare is not known'],
  [{ additionalResources: [{ ...LIST, name: 'floorplans' }] }, 'additionalResources[0].name is'],
  [{ additionalResources: [{ ...LIST, path: '/projects/x' }] }, 'additionalResources[0].path is'],
  [
    { additionalResources: [LIST, { ...LIST, name: 'more', path: `${LIST.path}/x` }] },
    'additionalResources[1].entity is "checklist"',
  ],
  [{ query: { floorplan: { view: 'full' } } }, 'query.floorplan is {"view":"full"}; allowed: entr'],
  [{ omit: { floorplan: ['name'] } }, 'omit.floorplan is ["name"]'],
  [{ omit: { projects: ['code', 'account_id'] } }, 'omit.projects[1] is "account_id"'],
  [{ omit: { floorplans: ['sheets'] } }, 'omit.floorplans[0] is "sheets"'],

  [
    { account: 123456789012 },
    'account is 123456789012; allowed: an AWS account id of 12 digits, a',
  ],
  [{ region: 'Frankfurt' }, 'region is "Frankfurt"'],
  [{ alarmEmail: 'operator' }, 'alarmEmail is "operator"'],
  [{ alarmEmail: 'a@builder.eu', monitoring: 'off' }, 'alarmEmail is "…@builder.eu"; allowed: not'],
  [{ alarmEmail: 'a@builder.eu', alarmTopicArn: ALARMS }, 'alarmEmail is "…@builder.eu"; allowed:'],
  [{ alarmTopicArn: `${ALARMS}.fifo` }, 'alarmTopicArn is "arn:'],
  [{ alarmTopicArn: ALARMS, region: 'eu-west-1' }, 'alarmTopicArn is "arn:'],
  [{ runbookUrl: 'https://a.test/b#c' }, 'runbookUrl is "https://a.test/b#c"'],
  [{ organisationId: 'mine' }, 'organisationId is "mine"'],
  [{ subscriberAccountIds: ['2109'] }, 'subscriberAccountIds[0] is "2109"'],
  [{ archiveDays: 30 }, 'archiveDays is 30; allowed: nothing'],
  [{ topicType: 'fifo', archiveDays: 366 }, 'archiveDays is 366'],
  [{ vpc: { ...VPC, subnetIds: [] } }, 'vpc.subnetIds is []'],
  [{ vpc: { ...VPC, subnetIds: ['sg-0a1b2c3d'] } }, 'vpc.subnetIds[0] is "sg-0a1b2c3d"'],
  [{ vpc: { subnetIds: VPC.subnetIds } }, 'vpc.securityGroupIds is missing'],
  [{ environment: ['A=b'] }, 'environment is ["A=b"]'],
  [{ environment: { DEBUG: true } }, 'environment.DEBUG is true'],
  ...[
    ...['SITECAST_TABLE', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'AWS_LAMBDA_EXEC_WRAPPER'],
    ...['POWERTOOLS_LOG_LEVEL', 'AWS_REGION', 'AWS_ACCESS_KEY_ID', 'LAMBDA_TASK_ROOT', '1A', 'A-B'],
  ].map(
    (name) =>
      [{ environment: { [name]: 'x' } }, `environment.${name} is not a valid name`] as const,
  ),
  [{ caBundle: 'missing.pem' }, 'caBundle is "missing.pem"'],
  [{ caBundle: 'package.json' }, 'caBundle is "package.json"'],
  [{ kmsKeyArn: 'alias/mine' }, 'kmsKeyArn is "alias/mine"'],
  [{ kmsKeyArn: KEY, region: 'eu-west-1' }, 'kmsKeyArn is "arn:'],
  [{ existingTableArn: TABLE, region: 'eu-west-1' }, 'existingTableArn is "arn:'],
  [{ existingSecretArn: SECRET.slice(0, -7) }, 'existingSecretArn is "arn:'],

  [{ subscribers: {} }, 'subscribers is {}'],
  [{ subscribers: [SQS, { ...SQS, endpoint: `${SQS.endpoint}2` }] }, 'subscribers[1].name is "que'],
  ...[SQS, LAMBDA, STREAM, WEBHOOK, BUS].map(
    (subscriber) =>
      [
        { subscribers: [subscriber, { ...subscriber, name: 'other' }] },
        'subscribers[1].endpoint is',
      ] as const,
  ),
];

/** A subscriber, and the start of its only problem behind `subscribers[0].`. */
const WRONG_SUBSCRIBERS: readonly (readonly [subscriber: object, problem: string])[] = [
  [{ ...SQS, name: 'My queue' }, 'name is "My queue"'],
  [{ ...SQS, protocol: 'https' }, 'protocol is "https"; allowed: "sqs" or "lambda" or "firehose"'],
  [{ ...SQS, endpoint: LAMBDA.endpoint }, 'endpoint is "arn:'],
  [{ ...LAMBDA, endpoint: SQS.endpoint }, 'endpoint is "arn:'],
  [{ ...BUS, endpoint: 'orders' }, 'endpoint is "orders"'],
  [{ ...SQS, endpoint: `${SQS.endpoint}.fifo` }, 'endpoint is "arn:'],
  [{ ...SQS, retries: {} }, 'retries is not known'],
  [{ ...SQS, filter: {} }, 'filter is not known'],
  [{ ...LAMBDA, rawMessageDelivery: true }, 'rawMessageDelivery is true; allowed: nothing unless'],
  [{ ...WEBHOOK, rawMessageDelivery: true }, 'rawMessageDelivery is true; allowed: nothing unles'],
  [{ ...SQS, subscriptionRoleArn: STREAM.subscriptionRoleArn }, 'subscriptionRoleArn is "arn:'],
  [{ ...STREAM, subscriptionRoleArn: undefined }, 'subscriptionRoleArn is missing'],
  [{ ...SQS, secretArn: SECRET }, 'secretArn is "arn:'],
  [{ ...SQS, maxConcurrency: 2 }, 'maxConcurrency is 2; allowed: nothing unless'],
  [{ ...SQS, allowPrivateAddress: false }, 'allowPrivateAddress is false'],
  [{ ...WEBHOOK, secretArn: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZI' }, 'secretArn is "whsec_…"'],
  [{ ...WEBHOOK, maxConcurrency: 1 }, 'maxConcurrency is 1'],
  [{ ...WEBHOOK, endpoint: 'http://hook.example/' }, 'endpoint is "http:'],
  [{ ...WEBHOOK, endpoint: 'https://me:s3cret@hook.example/' }, 'endpoint is "https://…@hook.exa'],
  [{ ...SQS, filterPolicyScope: 'Body' }, 'filterPolicyScope is "Body"'],
  [{ ...SQS, filterPolicy: 'all' }, 'filterPolicy is "all"; allowed: an object'],
  [{ ...SQS, filterPolicy: {} }, 'filterPolicy is {}; allowed: an object with conditions'],
  [{ ...SQS, filterPolicy: { entity: 'sheet' } }, 'filterPolicy.entity is "sheet"; allowed: a lis'],
  [{ ...SQS, filterPolicy: { entity: [] } }, 'filterPolicy.entity is []; allowed: a list'],
  [{ ...SQS, filterPolicy: { account_id: [4711] } }, 'filterPolicy.account_id[0] is 4711; allowed'],
  [{ ...SQS, filterPolicy: { subject: ['x'] } }, 'filterPolicy.subject is ["x"]; allowed: type, '],
  [{ ...SQS, filterPolicy: { $or: [{ type: ['a'] }] } }, 'filterPolicy.$or is [{"type":["a"]}]'],
  [{ ...SQS, filterPolicy: { $or: [{ type: ['a'] }, {}] } }, 'filterPolicy.$or[1] is {}'],
  [
    { ...SQS, filterPolicyScope: 'MessageBody', filterPolicy: { entity: ['sheet'] } },
    'filterPolicy.entity is',
  ],
];

describe('a wrong config', () => {
  it.each(WRONG)('like %j is refused once, by field and value', (fields, problem) => {
    expect(problemsOf(fields)).toEqual([expect.stringContaining(problem)]);
  });

  it.each(WRONG_SUBSCRIBERS)('with the subscriber %j is refused once', (subscriber, problem) => {
    const start = `subscribers[0].${problem}`;
    expect(problemsOf({ subscribers: [subscriber] })).toEqual([expect.stringContaining(start)]);
  });

  it.each([LAMBDA, STREAM])('has %j on a FIFO topic, which delivers to queues', (subscriber) => {
    const fields = { topicType: 'fifo', subscribers: [SQS, WEBHOOK, BUS, subscriber] };
    expect(problemsOf(fields)).toEqual([expect.stringContaining('subscribers[3].protocol is')]);
  });
});

describe('subscribers', () => {
  it.each([
    { ...SQS, endpoint: SQS.endpoint.replace('arn:aws:', 'arn:aws-cn:') },
    { ...SQS, rawMessageDelivery: true, filterPolicy: { changed: ['name', '*'] } },
    { ...LAMBDA, endpoint: `${LAMBDA.endpoint}:live` },
    { ...STREAM, rawMessageDelivery: true },
    { ...WEBHOOK, maxConcurrency: 1000, secretArn: SECRET },
    { ...WEBHOOK, endpoint: 'https://10.0.0.1:8443/', allowPrivateAddress: true },
    { ...WEBHOOK, endpoint: 'http://localhost:3000/hook', allowPrivateAddress: true },
    BUS,
    { ...SQS, filterPolicy: { type: ['project.created', { prefix: 'floorplan.' }] } },
    { ...SQS, filterPolicy: { $or: [{ entity: ['sheet'] }, { action: [{ exists: true }] }] } },
    ...[
      { object: { rotation: [90, null, { numeric: ['>', 1] }], emails: { is_primary: [true] } } },
      { $or: [{ changed: ['name'] }, { object: { x: [true] } }] },
    ].map((data) => ({ ...SQS, filterPolicyScope: 'MessageBody', filterPolicy: { data } })),
  ])('like %j are taken', (subscriber) => {
    expect(problemsOf({ subscribers: [subscriber] })).toEqual([]);
  });

  it.each(['', '.fifo'])('of a FIFO topic may be queues of both kinds: %s', (end) => {
    const endpoint = `${SQS.endpoint}${end}`;
    expect(problemsOf({ topicType: 'fifo', subscribers: [{ ...SQS, endpoint }] })).toEqual([]);
  });

  it('have names that differ in more than hyphens, since outputs are named after them', () => {
    const names = [
      { ...SQS, name: 'a-b' },
      { ...WEBHOOK, name: 'ab' },
    ];
    expect(problemsOf({ subscribers: names })).toEqual([
      expect.stringContaining('subscribers[1].name is "ab"'),
    ]);
  });
});
