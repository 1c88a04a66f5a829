import { describe, expect, it } from 'vitest';
import { ConfigInvalidError, parseConfig, stageSchema } from '../../../infra/config/config.ts';
import { ADDRESSES } from '../../support/config-samples.ts';

const FIELDS = Object.keys(stageSchema.shape).join(', ');
const LIST = { name: 'checklists', entity: 'checklist', path: '/projects/{project_id}/checklists' };
const UUID = '876c7fcc-4f08-4090-945e-d20f16c243ec';
const ARN = 'eu-central-1:123456789012';
const SQS = { name: 'queue', protocol: 'sqs', endpoint: `arn:aws:sqs:${ARN}:orders` };
const LAMBDA = {
  ...{ name: 'function', protocol: 'lambda' },
  endpoint: `arn:aws:lambda:${ARN}:function:orders`,
};
const HTTPS = { name: 'hook', protocol: 'https', endpoint: 'https://hook.example/' };
const WEBHOOK = { name: 'orders', protocol: 'webhook', endpoint: 'https://hook.example/' };
const webhook = (endpoint: string, more: object = {}) => ({
  subscribers: [{ ...WEBHOOK, endpoint, ...more }],
});
const BUS = `arn:aws:events:${ARN}:event-bus/orders`;
const bus = (more: object) => ({ protocol: 'eventBridge', name: 'bus', endpoint: BUS, ...more });
const STREAM = `arn:aws:firehose:${ARN}:deliverystream/orders`;
const DELIVERY = {
  ...{ protocol: 'firehose', endpoint: STREAM },
  subscriptionRoleArn: 'arn:aws:iam::123456789012:role/firehose',
};
const OWN_ENDPOINT =
  'an endpoint that no other subscriber has; for two filters, use $or in one filterPolicy';
const VPC = { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] };
const KEY = `arn:aws:kms:${ARN}:key/876c7fcc-4f08-4090-945e-d20f16c243ec`;
const TABLE = `arn:aws:dynamodb:${ARN}:table/old-table`;
const SECRET = `arn:aws:secretsmanager:${ARN}:secret:token-AbCdEf`;

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

describe('a wrong config', () => {
  it.each<[object, string]>([
    [{ shards: 3 }, 'shards is 3; allowed: one of 1, 2, 4, 8, 16'],
    [{ shards: 0 }, 'shards is 0; allowed: one of 1, 2, 4, 8, 16'],
    [{ shards: '2' }, 'shards is "2"; allowed: one of 1, 2, 4, 8, 16'],
    [
      { shards: 32 },
      'shards is 32; allowed: 1, 2, 4, 8, 16: the table has 16 partitions to divide',
    ],
    [
      { shards: 8, requestsPerMinute: 7 },
      'requestsPerMinute is 7; allowed: at least one for each of the shards',
    ],
    [
      { reconcile: 'weekly' },
      'reconcile is "weekly"; allowed: the fields maxMissingShare, schedule',
    ],
    [
      { reconcile: { schedule: 'yearly' } },
      'reconcile.schedule is "yearly"; allowed: "daily", "weekly", or an expression of EventBridge Scheduler: "rate(7 days)", "cron(0 3 ? * SUN *)"',
    ],
    [
      { reconcile: { schedule: 'rate(5 minutes)' } },
      'reconcile.schedule is "rate(5 minutes)"; allowed: "daily", "weekly", or an expression of EventBridge Scheduler: "rate(7 days)", "cron(0 3 ? * SUN *)"',
    ],
    [
      { reconcile: { schedule: 'rate(0 days)' } },
      'reconcile.schedule is "rate(0 days)"; allowed: "daily", "weekly", or an expression of EventBridge Scheduler: "rate(7 days)", "cron(0 3 ? * SUN *)"',
    ],
    [
      { reconcile: { schedule: 'cron(0 3 * * *)' } },
      'reconcile.schedule is "cron(0 3 * * *)"; allowed: "daily", "weekly", or an expression of EventBridge Scheduler: "rate(7 days)", "cron(0 3 ? * SUN *)"',
    ],
    [
      { reconcile: { schedule: 'cron(0 3 * * * *)' } },
      'reconcile.schedule is "cron(0 3 * * * *)"; allowed: "daily", "weekly", or an expression of EventBridge Scheduler: "rate(7 days)", "cron(0 3 ? * SUN *)"',
    ],
    [
      { reconcile: { schedule: 'cron(0 3 ? * ? *)' } },
      'reconcile.schedule is "cron(0 3 ? * ? *)"; allowed: "daily", "weekly", or an expression of EventBridge Scheduler: "rate(7 days)", "cron(0 3 ? * SUN *)"',
    ],
    [
      { reconcile: { maxMissingShare: 1.1 } },
      'reconcile.maxMissingShare is 1.1; allowed: a share from 0 to 1: 0.5 is half of a list',
    ],
    [
      { reconcile: { maxShare: 1 } },
      'reconcile.maxShare is not known; allowed: the fields maxMissingShare, schedule',
    ],
    [{ baseUrl: undefined }, 'baseUrl is missing; allowed: an https URL (http for localhost only)'],
    [{ authUrl: undefined }, 'authUrl is missing; allowed: an https URL (http for localhost only)'],
    [
      { baseUrl: 'http://api.example.com' },
      'baseUrl is "http://api.example.com"; allowed: an https URL (http for localhost only)',
    ],
    [
      { authUrl: 'http://auth.example.com' },
      'authUrl is "http://auth.example.com"; allowed: an https URL (http for localhost only)',
    ],
    [
      { baseUrl: 'api.example.com' },
      'baseUrl is "api.example.com"; allowed: an https URL (http for localhost only)',
    ],
    [
      { baseUrl: 'https://api.example.com/api/v3' },
      'baseUrl is "https://api.example.com/api/v3"; allowed: without /api/v3, which is added',
    ],
    [
      { authUrl: 'https://auth.example.com/api_keys/jwt' },
      'authUrl is "https://auth.example.com/api_keys/jwt"; allowed: without /api/v3, and without /api_keys/jwt, which is added',
    ],
    [
      { authUrl: 'https://auth.example.com/?a=b' },
      'authUrl is "https://auth.example.com/?a=b"; allowed: an https URL without query (?)',
    ],
    [
      { baseUrl: 'https://me:secret@api.example.com' },
      'baseUrl is "https://…@api.example.com"; allowed: a URL without user and password',
    ],
    [
      { baseURL: 'https://api.example.com', baseUrl: undefined },
      'baseURL is not known; did you mean "baseUrl"?',
    ],
    [{ everyMinutes: 0 }, 'everyMinutes is 0; allowed: a whole number of minutes from 1 to 60'],
    [
      { everyMinutes: '1' },
      'everyMinutes is "1"; allowed: a whole number of minutes from 1 to 60, without quotes',
    ],
    [{ everyMinutes: 61 }, 'everyMinutes is 61; allowed: a whole number of minutes from 1 to 60'],
    [{ everyMinuts: 5 }, 'everyMinuts is not known; did you mean "everyMinutes"?'],
    [{ ownKey: true }, `ownKey is not known; allowed: the fields ${FIELDS}`],
    [
      { serviceVersion: '2021-02-30' },
      'serviceVersion is "2021-02-30"; allowed: a date YYYY-MM-DD',
    ],
    [{ withCurrentSheet: 'yes' }, 'withCurrentSheet is "yes"; allowed: true or false'],
    [{ perPage: 1001 }, 'perPage is 1001; allowed: a whole number of entities from 1 to 1000'],
    [{ perPage: 1.5 }, 'perPage is 1.5; allowed: a whole number of entities from 1 to 1000'],
    [
      { requestsPerMinute: 0 },
      'requestsPerMinute is 0; allowed: a whole number of requests a minute from 1 to 60000',
    ],
    [{ requestPerMinute: 100 }, 'requestPerMinute is not known; did you mean "requestsPerMinute"?'],
    [
      { maxWaitSeconds: 119 },
      'maxWaitSeconds is 119; allowed: at least 120: twice the time between two runs (everyMinutes)',
    ],
    [
      { maxWaitSeconds: 86_401 },
      'maxWaitSeconds is 86401; allowed: a whole number of seconds from 60 to 86400',
    ],
    [
      { pollEverySeconds: 4 },
      'pollEverySeconds is 4; allowed: a whole number of seconds from 5 to 3600',
    ],
    [
      { pollEverySeconds: 45 },
      'pollEverySeconds is 45; allowed: less than 45, or a run has no time for a second sweep: timeoutSeconds without the last 10',
    ],
    [
      { lookbackSeconds: -1 },
      'lookbackSeconds is -1; allowed: a whole number of seconds from 0 to 3600',
    ],
    [{ baseline: 'loud' }, 'baseline is "loud"; allowed: "silent" or "emit"'],
    [{ concurrency: 65 }, 'concurrency is 65; allowed: a whole number of lists from 1 to 64'],
    [
      { additionalResources: {} },
      'additionalResources is {}; allowed: a list of objects with name, entity and path',
    ],
    [
      { additionalResources: [{ ...LIST, name: 'floorplans' }] },
      'additionalResources[0].name is "floorplans"; allowed: a name other than projects, floorplans, template_checklists',
    ],
    [
      { additionalResources: [{ ...LIST, path: '/projects/x' }] },
      'additionalResources[0].path is "/projects/x"; allowed: a path of at most 200 characters, each part / and letters, digits, - or _: below /projects/{project_id}, or, for a list of the account, not below /projects, such as /users',
    ],
    [
      { additionalResources: [LIST, { ...LIST, name: 'more', path: `${LIST.path}/x` }] },
      'additionalResources[1].entity is "checklist"; allowed: a word that no other entry has',
    ],
    [
      { resources: ['floorplan'] },
      'resources[0] is "floorplan"; allowed: "floorplans" or "template_checklists"',
    ],
    [
      { resources: 'floorplans' },
      'resources is "floorplans"; allowed: a list of "floorplans" and "template_checklists"',
    ],
    [
      { projects: [] },
      'projects is []; allowed: a list of ids of projects; leave it out for all projects',
    ],
    [
      { projects: ['Tower *'] },
      'projects[0] is "Tower *"; allowed: the id of a project, not its name: a UUID, or digits',
    ],
    [
      { projects: [4711] },
      'projects[0] is 4711; allowed: the id of a project, not its name: a UUID, or digits, as text, in quotes',
    ],
    [
      { projects: Array.from({ length: 60 }, () => UUID) },
      'projects is ["876c7fcc-4f08-4090-945e-d20f16c243ec","876c7fcc-4f08-4090-945e-d20f16c243ec","876c7fcc-4f08-4090-9…; allowed: at most 2300 bytes as JSON, each quotation mark counted twice, together with additionalResources; these have 2468',
    ],
    [
      { query: { floorplan: { view: 'full' } } },
      'query.floorplan is {"view":"full"}; allowed: entries with the names of lists: projects, floorplans, template_checklists',
    ],
    [
      { omit: { floorplan: ['name'] } },
      'omit.floorplan is ["name"]; allowed: entries with the names of lists: projects, floorplans, template_checklists',
    ],
    [
      { omit: { projects: 'token' } },
      'omit.projects is "token"; allowed: a list of names of fields',
    ],
    [
      { omit: { projects: ['code', 'account_id'] } },
      'omit.projects[1] is "account_id"; allowed: a field other than id, updated_at, deleted_at, project_id, account_id',
    ],
    [
      { omit: { floorplans: ['sheets'] } },
      'omit.floorplans[0] is "sheets"; allowed: a field other than id, updated_at, deleted_at, project_id, current_sheet, active_sheet, sheet, sheets',
    ],
    [
      { omit: { template_checklists: ['template_check_items'] } },
      'omit.template_checklists[0] is "template_check_items"; allowed: a field other than id, updated_at, deleted_at, project_id, template_check_items',
    ],
    ...['id', 'updated_at', 'deleted_at', 'project_id'].map((field): [object, string] => [
      { omit: { checklists: [field] }, additionalResources: [LIST] },
      `omit.checklists[0] is "${field}"; allowed: a field other than id, updated_at, deleted_at, project_id`,
    ]),
    [{ retentionDays: 0 }, 'retentionDays is 0; allowed: a whole number of days from 1 to 3650'],
    [
      { retentionDays: 'never' },
      'retentionDays is "never"; allowed: a whole number of days from 1 to 3650',
    ],
    [
      { account: 123456789012 },
      'account is 123456789012; allowed: an AWS account id of 12 digits, as text, in quotes',
    ],
    [{ region: 'Frankfurt' }, 'region is "Frankfurt"; allowed: an AWS region such as eu-central-1'],
    [{ enabled: 'no' }, 'enabled is "no"; allowed: true or false'],
    [{ disabled: true }, 'disabled is not known; did you mean "enabled"?'],
    [{ memoryMb: 128 }, 'memoryMb is 128; allowed: a whole number of MB from 256 to 10240'],
    [
      { timeoutSeconds: 56 },
      'timeoutSeconds is 56; allowed: a whole number of seconds from 30 to 55',
    ],
    [
      { logRetentionDays: 2 },
      'logRetentionDays is 2; allowed: one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653, 9999 (days)',
    ],
    [{ logLevel: 'info' }, 'logLevel is "info"; allowed: "DEBUG" or "INFO" or "WARN" or "ERROR"'],
    [
      { organisationId: 'mine' },
      'organisationId is "mine"; allowed: an AWS organisation id such as o-a1b2c3d4e5',
    ],
    [
      { organizationId: 'o-a1b2c3d4e5' },
      'organizationId is not known; did you mean "organisationId"?',
    ],
    [
      { subscriberAccountIds: '210987654321' },
      'subscriberAccountIds is "210987654321"; allowed: a list of AWS account ids',
    ],
    [
      { subscriberAccountIds: ['2109'] },
      'subscriberAccountIds[0] is "2109"; allowed: an AWS account id of 12 digits',
    ],
    [{ topicType: 'FIFO' }, 'topicType is "FIFO"; allowed: "standard" or "fifo"'],
    [
      { archiveDays: 30 },
      'archiveDays is 30; allowed: nothing, since only a FIFO topic has an archive (topicType "fifo")',
    ],
    [
      { topicType: 'fifo', archiveDays: 366 },
      'archiveDays is 366; allowed: a whole number of days from 1 to 365',
    ],
    [
      { topicType: 'fifo', subscribers: [HTTPS] },
      'subscribers[0].protocol is "https"; allowed: "sqs", "webhook" or "eventBridge", since a FIFO topic delivers to SQS queues only, and the last two have one of their own: subscribe a queue and read that, or set topicType to "standard"',
    ],
    [
      { topicType: 'fifo', subscribers: [LAMBDA] },
      'subscribers[0].protocol is "lambda"; allowed: "sqs", "webhook" or "eventBridge", since a FIFO topic delivers to SQS queues only, and the last two have one of their own: subscribe a queue and read that, or set topicType to "standard"',
    ],
    [{ removalPolicy: 'keep' }, 'removalPolicy is "keep"; allowed: "retain" or "destroy"'],
    [{ deletionProtection: 1 }, 'deletionProtection is 1; allowed: true or false'],
    [{ subscribers: {} }, 'subscribers is {}; allowed: a list of subscribers'],
    [
      { subscribers: [{ ...SQS, name: 'My queue' }] },
      'subscribers[0].name is "My queue"; allowed: a name of at most 40 lower-case letters, digits and - that starts with a letter',
    ],
    [
      { subscribers: [{ ...SQS, protocol: 'email' }] },
      'subscribers[0].protocol is "email"; allowed: "sqs" or "lambda" or "https" or "firehose" or "webhook" or "eventBridge"',
    ],
    [
      { subscribers: [{ ...SQS, endpoint: LAMBDA.endpoint }] },
      'subscribers[0].endpoint is "arn:aws:lambda:eu-central-1:123456789012:function:orders"; allowed: ARN of an SQS queue, since protocol is "sqs"',
    ],
    [
      { subscribers: [{ ...SQS, endpoint: `${SQS.endpoint}.fifo` }] },
      'subscribers[0].endpoint is "arn:aws:sqs:eu-central-1:123456789012:orders.fifo"; allowed: ARN of a standard queue, since a standard topic does not deliver to FIFO queues (topicType "fifo" does)',
    ],
    [
      { subscribers: [{ ...HTTPS, endpoint: 'http://hook.example' }] },
      'subscribers[0].endpoint is "http://hook.example"; allowed: an https URL, since protocol is "https"',
    ],
    [
      { subscribers: [{ ...LAMBDA, rawMessageDelivery: true }] },
      'subscribers[0].rawMessageDelivery is true; allowed: false, since functions always get the envelope',
    ],
    [
      { subscribers: [{ ...SQS, retries: {} }] },
      'subscribers[0].retries is {}; allowed: nothing unless protocol is "https"',
    ],
    [
      { subscribers: [{ ...HTTPS, retries: { count: 100 } }] },
      'subscribers[0].retries is {"count":100}; allowed: count times maxDelaySeconds of at most 3600 seconds',
    ],
    [
      { subscribers: [{ ...HTTPS, retries: { minDelaySeconds: 61 } }] },
      'subscribers[0].retries is {"minDelaySeconds":61}; allowed: minDelaySeconds of at most maxDelaySeconds',
    ],
    [
      { subscribers: [{ ...SQS, subscriptionRoleArn: 'arn:aws:iam::123456789012:role/r' }] },
      'subscribers[0].subscriptionRoleArn is "arn:aws:iam::123456789012:role/r"; allowed: nothing unless protocol is "firehose"',
    ],
    [
      { subscribers: [{ ...SQS, protocol: 'firehose', endpoint: STREAM }] },
      'subscribers[0].subscriptionRoleArn is missing; allowed: ARN of an IAM role, which Firehose needs',
    ],
    [
      webhook('http://hook.example/'),
      'subscribers[0].endpoint is "http://hook.example/"; allowed: an https URL, since protocol is "webhook"',
    ],
    [
      webhook('http://hook.example/', { allowPrivateAddress: true }),
      'subscribers[0].endpoint is "http://hook.example/"; allowed: an https URL, since protocol is "webhook"',
    ],
    ...[
      '10.1.2.3',
      '0x7f.1',
      '[::1]',
      '[::ffff:192.168.0.1]',
      '[fd12::1]',
      'localhost',
      '2130706433',
    ].map((host): [object, string] => [
      webhook(`https://${host}/`),
      `subscribers[0].endpoint is "https://${host}/"; allowed: a public address, unless allowPrivateAddress is true`,
    ]),
    ...['169.254.169.254', '[fd00:ec2::254]', '[::ffff:a9fe:a9fe]', '169.254.170.2'].map(
      (host): [object, string] => [
        webhook(`https://${host}/`, { allowPrivateAddress: true }),
        `subscribers[0].endpoint is "https://${host}/"; allowed: an address other than that of AWS's metadata`,
      ],
    ),
    [
      webhook('https://169.254.100.1/', { allowPrivateAddress: true }),
      'subscribers[0].endpoint is "https://169.254.100.1/"; allowed: an address that is not link-local',
    ],
    [
      webhook('https://192.0.2.1/', { allowPrivateAddress: true }),
      'subscribers[0].endpoint is "https://192.0.2.1/"; allowed: an address that belongs to somebody',
    ],
    [
      webhook('https://me:s3cret@hook.example/'),
      'subscribers[0].endpoint is "https://…@hook.example/"; allowed: a URL without user and password',
    ],
    [
      { subscribers: [WEBHOOK, { ...WEBHOOK, name: 'other', endpoint: 'https://HOOK.example' }] },
      `subscribers[1].endpoint is "https://HOOK.example"; allowed: ${OWN_ENDPOINT}`,
    ],
    [
      { subscribers: [HTTPS, { ...WEBHOOK, name: 'other' }] },
      `subscribers[1].endpoint is "https://hook.example/"; allowed: ${OWN_ENDPOINT}`,
    ],
    ...[SQS, LAMBDA, HTTPS, { ...SQS, ...DELIVERY }].map((subscriber): [object, string] => [
      {
        subscribers: [
          subscriber,
          { ...subscriber, name: 'other', filterPolicy: { action: ['x'] } },
        ],
      },
      `subscribers[1].endpoint is "${subscriber.endpoint}"; allowed: ${OWN_ENDPOINT}`,
    ]),
    [
      webhook('https://hook.example/', { secretArn: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
      'subscribers[0].secretArn is "whsec_…"; allowed: complete ARN of a secret, with the six characters at its end; what it holds (whsec_…) belongs into Secrets Manager alone',
    ],
    [
      { region: 'eu-west-1', ...webhook('https://hook.example/', { secretArn: SECRET }) },
      `subscribers[0].secretArn is "${SECRET}"; allowed: an ARN in the region of the stack, eu-west-1`,
    ],
    [
      webhook('https://hook.example/', { maxConcurrency: 1 }),
      'subscribers[0].maxConcurrency is 1; allowed: a whole number of function instances from 2 to 1000',
    ],
    [
      webhook('https://hook.example/', { allowPrivateAddress: 'yes' }),
      'subscribers[0].allowPrivateAddress is "yes"; allowed: true or false',
    ],
    [
      webhook('https://hook.example/', { rawMessageDelivery: true }),
      'subscribers[0].rawMessageDelivery is true; allowed: false, or nothing, since protocol "webhook" never has the envelope',
    ],
    [
      webhook('https://hook.example/', { retries: {} }),
      'subscribers[0].retries is {}; allowed: nothing unless protocol is "https"',
    ],
    [
      webhook('https://hook.example/', { filterPolicy: { type: [] } }),
      'subscribers[0].filterPolicy.type is []; allowed: a list of at least one value or condition',
    ],
    ...Object.entries({
      secretArn: SECRET,
      maxConcurrency: 2,
      allowPrivateAddress: false,
    }).map(([field, value]): [object, string] => [
      { subscribers: [{ ...SQS, [field]: value }] },
      `subscribers[0].${field} is ${JSON.stringify(value)}; allowed: nothing unless protocol is "webhook"`,
    ]),
    [
      {
        subscribers: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({
          ...{ ...WEBHOOK, name, endpoint: `https://${name}.hook.example/` },
        })),
      },
      'subscribers is [{"name":"a","protocol":"webhook","endpoint":"https://a.hook.example/"},{"name":"b","protocol":"webh…; allowed: fewer webhooks, or less in additionalResources: with 430 bytes for each of 7 webhooks, besides its name and endpoint, they have 3184 of 2900; a second stage can have others',
    ],
    [
      { subscribers: [bus({ endpoint: 'orders' })] },
      'subscribers[0].endpoint is "orders"; allowed: ARN of an event bus, since protocol is "eventBridge"',
    ],
    ...[{ region: 'eu-west-1' }, { account: '210987654321' }].map((place): [object, string] => [
      { ...place, subscribers: [bus({})] },
      `subscribers[0].endpoint is "${BUS}"; allowed: a bus in the stage's account and region, which alone a pipe reaches: a rule of that bus can forward to others`,
    ]),
    ...['us-gov-west-1', 'eusc-de-east-1'].flatMap((region): [object, string][] => {
      const endpoint = BUS.replace('eu-central-1', region);
      const problem = `subscribers[0].protocol is "eventBridge"; allowed: any other, since ${region} has no EventBridge Pipes, which reach the bus`;
      const fields = { subscribers: [bus({ endpoint })] };
      return [
        [fields, problem],
        [{ ...fields, region }, problem],
      ];
    }),
    [
      { subscribers: [bus({}), bus({ name: 'twice' })] },
      `subscribers[1].endpoint is "${BUS}"; allowed: ${OWN_ENDPOINT}`,
    ],
    [
      { subscribers: [SQS, { ...SQS, endpoint: `${SQS.endpoint}2` }] },
      'subscribers[1].name is "queue"; allowed: a name that no other entry has, with hyphens or without',
    ],
    [
      { subscribers: [{ ...SQS, filter: {} }] },
      'subscribers[0].filter is not known; did you mean "filterPolicy"?',
    ],
    [
      { subscribers: [{ ...SQS, filterPolicy: {} }] },
      'subscribers[0].filterPolicy is {}; allowed: an object with conditions',
    ],
    [
      { subscribers: [{ ...SQS, filterPolicy: { entity: 'sheet' } }] },
      'subscribers[0].filterPolicy.entity is "sheet"; allowed: a list of at least one value or condition',
    ],
    [
      { subscribers: [{ ...SQS, filterPolicyScope: 'Body' }] },
      'subscribers[0].filterPolicyScope is "Body"; allowed: "MessageAttributes" or "MessageBody"',
    ],
    [{ tags: ['team'] }, 'tags is ["team"]; allowed: an object: values by name'],
    [
      { tags: { 'aws:team': 'x' } },
      'tags.aws:team is not a valid name; allowed: a name of at most 128 letters, digits, spaces and _ . : / = + - @ that does not start with aws:',
    ],
    [
      { tags: { team: 5 } },
      'tags.team is 5; allowed: a text of 1 to 256 characters, as text, in quotes',
    ],
    [
      { tags: Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`t${n}`, 'x'])) },
      'tags is {"t0":"x","t1":"x","t2":"x","t3":"x","t4":"x","t5":"x","t6":"x","t7":"x","t8":"x","t9":"x","t10":"x"…; allowed: an object of at most 40 tags',
    ],
    [
      { permissionsBoundaryArn: 'boundary' },
      'permissionsBoundaryArn is "boundary"; allowed: ARN of an IAM policy',
    ],
    [
      { vpc: 'vpc-0a1b2c3d' },
      'vpc is "vpc-0a1b2c3d"; allowed: the fields subnetIds, securityGroupIds',
    ],
    [
      { vpc: { subnetIds: [], securityGroupIds: ['sg-0a1b2c3d'] } },
      'vpc.subnetIds is []; allowed: a list of ids of 1 to 16 subnets',
    ],
    [
      { vpc: { subnetIds: ['subnet-0a1b2c3d'] } },
      'vpc.securityGroupIds is missing; allowed: a list of ids of 1 to 5 security groups',
    ],
    [
      { vpc: { subnetIds: ['sg-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] } },
      'vpc.subnetIds[0] is "sg-0a1b2c3d"; allowed: an id such as subnet-0a1b2c3d',
    ],
    [
      { vpc: { vpcId: 'vpc-0a1b2c3d', ...VPC } },
      'vpc.vpcId is not known; allowed: the fields subnetIds, securityGroupIds',
    ],
    [
      { proxyUrl: 'proxy.example.com:3128' },
      'proxyUrl is "proxy.example.com:3128"; allowed: an http or https URL of a proxy',
    ],
    [
      { proxyUrl: 'http://me:secret@proxy.example.com' },
      'proxyUrl is "http://…@proxy.example.com"; allowed: a URL without user and password',
    ],
    [
      { proxyUrl: 'http://localhost:3128' },
      'proxyUrl is "http://localhost:3128"; allowed: a proxy that AWS can reach',
    ],
    [
      { proxyUrl: 'http://proxy.example.com/pac' },
      'proxyUrl is "http://proxy.example.com/pac"; allowed: a URL without path and query',
    ],
    [
      { caBundle: 'missing.pem' },
      'caBundle is "missing.pem"; allowed: path of a file with certificates (PEM): this file does not exist',
    ],
    [
      { caBundle: 'package.json' },
      'caBundle is "package.json"; allowed: path of a file with certificates (PEM): this file has none',
    ],
    [
      { kmsKeyArn: 'alias/mine' },
      'kmsKeyArn is "alias/mine"; allowed: ARN of a symmetric KMS key (arn:aws:kms:<region>:<account>:key/<id>), not of an alias',
    ],
    [
      { kmsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:alias/mine' },
      'kmsKeyArn is "arn:aws:kms:eu-central-1:123456789012:alias/mine"; allowed: ARN of a symmetric KMS key (arn:aws:kms:<region>:<account>:key/<id>), not of an alias',
    ],
    [
      { kmsKeyArn: KEY, region: 'eu-west-1' },
      'kmsKeyArn is "arn:aws:kms:eu-central-1:123456789012:key/876c7fcc-4f08-4090-945e-d20f16c243ec"; allowed: an ARN in the region of the stack, eu-west-1',
    ],
    [
      { existingTableArn: 'old-table' },
      'existingTableArn is "old-table"; allowed: ARN of a DynamoDB table',
    ],
    [
      { existingTableArn: TABLE, region: 'eu-west-1' },
      'existingTableArn is "arn:aws:dynamodb:eu-central-1:123456789012:table/old-table"; allowed: an ARN in the region of the stack, eu-west-1',
    ],
    [
      { existingTableArn: TABLE, account: '210987654321' },
      'existingTableArn is "arn:aws:dynamodb:eu-central-1:123456789012:table/old-table"; allowed: an ARN in the account of the stack, 210987654321',
    ],
    [
      { existingTableArn: TABLE, deletionProtection: true },
      'deletionProtection is true; allowed: false, since the stack does not change an existing table (existingTableArn)',
    ],
    [
      { existingSecretArn: SECRET.slice(0, -7) },
      'existingSecretArn is "arn:aws:secretsmanager:eu-central-1:123456789012:secret:token"; allowed: complete ARN of a secret, with the six characters at its end',
    ],
    [
      { existingSecretArn: SECRET, region: 'eu-west-1' },
      'existingSecretArn is "arn:aws:secretsmanager:eu-central-1:123456789012:secret:token-AbCdEf"; allowed: an ARN in the region of the stack, eu-west-1',
    ],
  ])('like %j is refused once, by field, value and what is allowed', (fields, problem) => {
    expect(problemsOf(fields)).toEqual([problem]);
  });

  it('that exceeds the environment of a function with headers and query is refused once', () => {
    const long = Object.fromEntries(
      Array.from({ length: 6 }, (_, n) => [`n${n}`, 'x'.repeat(190)]),
    );
    const fields = { headers: { extra: long }, query: { projects: long } };
    expect(problemsOf(fields)).toEqual([
      expect.stringMatching(/^headers is .*at most 2300 bytes as JSON.*with query, additional/),
    ]);
    expect(problemsOf({ headers: { extra: long } })).toEqual([]);
    const additionalResources = Array.from({ length: 40 }, (_, n) => {
      return { name: `list_${n}`, entity: `entity_${n}`, path: `/projects/{project_id}/list_${n}` };
    });
    expect(problemsOf({ additionalResources })).toEqual([
      expect.stringMatching(/^additionalResources is .*mark counted twice; these have \d+$/),
    ]);
  });
});
