import { describe, expect, it } from 'vitest';
import { configWarnings } from '../../../infra/config/config-warnings.ts';
import { parseConfig } from '../../../infra/config/config.ts';

const QUEUE = 'arn:aws:sqs:eu-central-1:210987654321:orders';
const KEY = 'arn:aws:kms:eu-central-1:210987654321:key/876c7fcc-4f08-4090-945e-d20f16c243ec';
const URLS = { baseUrl: 'https://api.builder.eu', authUrl: 'https://auth.builder.eu' };
const alarmEmail = 'operator@builder.eu';
const sqs = { name: 'queue', protocol: 'sqs', endpoint: QUEUE };
const https = { name: 'hook', protocol: 'https', endpoint: 'https://hook.builder.eu' };
const webhook = { name: 'orders', protocol: 'webhook', endpoint: 'https://hook.builder.eu' };
const VPC = { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] };
const inside = { ...webhook, endpoint: 'https://10.0.0.1', allowPrivateAddress: true };

function warningsOf(fields: object): string[] {
  const stage = parseConfig({ dev: { ...URLS, alarmEmail, ...fields } })['dev'];
  if (stage === undefined) throw new Error('no stage');
  return configWarnings(stage, '2026-03-02').map(({ id, message }) => `${id}: ${message}`);
}

const filtered = (filterPolicy: object, fields: object = {}) =>
  warningsOf({ ...fields, subscribers: [{ ...sqs, filterPolicy }] });

describe('the config', () => {
  it.each([
    {},
    { region: 'eu-central-1', account: '210987654321', serviceVersion: '2026-03-02' },
    { pollEverySeconds: 5 },
    { requestsPerMinute: 20, shards: 4 },
    { subscribers: [sqs, https] },
    { alarmEmail: undefined, alarmTopicArn: 'arn:aws:sns:eu-central-1:210987654321:alarms' },
    { alarmEmail: undefined, monitoring: 'off' },
    { kmsKeyArn: KEY, subscribers: [sqs, webhook] },
    { vpc: VPC, subscribers: [inside] },
  ])('%j has no warning', (fields) => {
    expect(warningsOf(fields)).toEqual([]);
  });

  it.each([
    [
      { alarmEmail: undefined },
      'alarms: monitoring "basic" tells nobody of its alarms: set alarmEmail or alarmTopicArn, or subscribe to the alarm topic.',
    ],
    [
      { requestsPerMinute: 19, shards: 4 },
      'budget: requestsPerMinute 19 leaves a shard 4 requests a minute: where each run needs a new access token, that may take them all, and lists are never read; allow 20.',
    ],
    [
      { resources: [] },
      'lists: resources [] leaves only the list of projects: leave it out for all lists.',
    ],
    [
      { resources: ['floorplans', 'floorplans'] },
      'lists: resources ["floorplans","floorplans"] names a resource twice: once is enough.',
    ],
    [
      { baseUrl: 'https://api.example.com' },
      'address: baseUrl "https://api.example.com" is a placeholder: set the real address.',
    ],
    [
      { proxyUrl: 'http://proxy.example.com' },
      'address: proxyUrl "http://proxy.example.com" is a placeholder',
    ],
    [
      { existingTableArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/old' },
      'account: existingTableArn "arn:aws:dynamodb:eu-central-1:123456789012:table/old" has the account',
    ],
    [
      { kmsKeyArn: KEY, subscribers: [sqs, https] },
      `key: kmsKeyArn "${KEY}" cannot serve large events outside the account unless its policy lets these readers decrypt (kms:Decrypt): hook.`,
    ],
    [
      { kmsKeyArn: KEY, organisationId: 'o-a1b2c3d4e5', subscriberAccountIds: ['310987654322'] },
      'readers decrypt (kms:Decrypt): o-a1b2c3d4e5, 310987654322.',
    ],
    [
      { subscribers: [inside] },
      'address: subscribers[0].allowPrivateAddress true reaches no private address without vpc: set vpc, or leave it out.',
    ],
    [
      { subscribers: [{ ...inside, endpoint: 'http://localhost:3000/hook' }] },
      'address: subscribers[0].endpoint "http://localhost:3000/hook" is this machine, which AWS cannot reach.',
    ],
    [
      { subscribers: [{ ...webhook, endpoint: 'https://you.example/' }] },
      'address: subscribers[0].endpoint "https://you.example/" is a placeholder',
    ],
    [
      { proxyUrl: 'http://proxy.builder.eu', subscribers: [webhook] },
      'address: subscribers[0].endpoint "https://hook.builder.eu" is reached directly, not through proxyUrl: its network needs another way out.',
    ],
    [
      {
        subscribers: [
          {
            ...webhook,
            secretArn: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:s-AbCdEf',
          },
        ],
      },
      'account: subscribers[0].secretArn',
    ],
    [{ authUrl: 'https://auth.test' }, 'address: authUrl "https://auth.test" is a placeholder'],
    [
      { baseUrl: 'http://localhost:3000' },
      'address: baseUrl "http://localhost:3000" is this machine, which AWS cannot reach.',
    ],
    [
      { subscribers: [{ ...https, endpoint: 'https://you.example/x' }] },
      'address: subscribers[0].endpoint "https://you.example/x" is a placeholder',
    ],
    [{ account: '123456789012' }, 'account: account "123456789012" has the account of an example'],
    [
      { subscriberAccountIds: ['210987654321', '111111111111'] },
      'account: subscriberAccountIds[1] "111111111111" has the account of an example',
    ],
    [
      { subscribers: [{ ...sqs, endpoint: QUEUE.replace('210987654321', '111122223333') }] },
      'account: subscribers[0].endpoint',
    ],
    [
      { region: 'eu-centrall-1' },
      'region: region "eu-centrall-1" names a region that this version of CDK does not know',
    ],
    [
      { subscribers: [{ ...sqs, endpoint: QUEUE.replace('central', 'middle') }] },
      'region: subscribers[0].endpoint',
    ],
    [
      { serviceVersion: '2026-03-03' },
      'version: serviceVersion "2026-03-03" is in the future: leave it out for the latest version.',
    ],
    [
      { pollEverySeconds: 5, everyMinutes: 5 },
      'sweeps: pollEverySeconds 5 leaves a gap: a run sweeps for 45 seconds, then nothing is polled for 255;',
    ],
    [
      { pollEverySeconds: 5, timeoutSeconds: 30 },
      'sweeps: pollEverySeconds 5 leaves a gap: a run sweeps for 20 seconds, then nothing is polled for 40;',
    ],
  ])('%j has the warning %s', (fields, warning) => {
    expect(warningsOf(fields)).toEqual([expect.stringContaining(warning)]);
  });
});

describe('a filter policy', () => {
  it.each([
    { type: ['floorplan.created', { suffix: '.deleted' }], cause: ['poll'] },
    { cause: ['reconcile'], action: ['deleted'], changed: ['discipline'] },
    { $or: [{ type: ['project.created'] }, { action: ['deleted'], entity: ['floorplan'] }] },
  ])('has no warning with words that events have: %j', (policy) => {
    expect(filtered(policy)).toEqual([]);
  });

  it('may name sheets, items and additional lists, where the config shows them', () => {
    const policy = { entity: ['sheet', 'template_check_item', 'task'] };
    const task = { name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' };
    const shown = { serviceVersion: '2021-03-29', additionalResources: [task] };
    expect(filtered(policy, shown)).toEqual([]);
    expect(filtered({ type: ['sheet.updated'] }, { withCurrentSheet: true })).toEqual([]);
  });

  it.each([
    [
      { type: ['floorplan.created', 'floorplan.renamed'] },
      '.type[1] "floorplan.renamed" matches no event: type is project.created,',
    ],
    [
      { entity: ['sheet'] },
      '.entity[0] "sheet" matches no event: sheet has events only with withCurrentSheet true.',
    ],
    [
      { type: ['template_check_item.created'] },
      'template_check_item has events only with a serviceVersion before 2021-04-15.',
    ],
    [
      { action: ['create'] },
      '.action[0] "create" matches no event: action is created, updated, deleted, restored.',
    ],
    [
      { cause: ['rewind'] },
      '.cause[0] "rewind" matches no event: cause is poll, replay, reconcile.',
    ],
    [{ $or: [{ entity: ['plan'] }, { action: ['updated'] }] }, '.$or[0].entity[0] "plan" matches'],
  ])('has a warning with a word that no event has: %j', (policy, warning) => {
    expect(filtered(policy)).toEqual([expect.stringContaining(warning)]);
  });
});
