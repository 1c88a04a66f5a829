import { describe, expect, it } from 'vitest';
import { configWarnings } from '../../../infra/config/config-warnings.ts';
import { parseConfig } from '../../../infra/config/config.ts';

const QUEUE = 'arn:aws:sqs:eu-central-1:210987654321:orders';
const URLS = { baseUrl: 'https://api.builder.eu', authUrl: 'https://auth.builder.eu' };
const alarmEmail = 'operator@builder.eu';
const sqs = { name: 'queue', protocol: 'sqs', endpoint: QUEUE };
const webhook = { name: 'orders', protocol: 'webhook', endpoint: 'https://hook.builder.eu' };
const inside = { ...webhook, endpoint: 'https://10.0.0.1', allowPrivateAddress: true };

function warningsOf(fields: object): string[] {
  const stage = parseConfig({ dev: { ...URLS, alarmEmail, ...fields } })['dev'];
  if (stage === undefined) throw new Error('no stage');
  return configWarnings(stage).map(({ id, message }) => `${id}: ${message}`);
}

const filtered = (filterPolicy: object, fields: object = {}) =>
  warningsOf({ ...fields, subscribers: [{ ...sqs, filterPolicy }] });

describe('the config', () => {
  it.each([
    {},
    { region: 'eu-central-1', account: '210987654321' },
    { alarmEmail: undefined, alarmTopicArn: 'arn:aws:sns:eu-central-1:210987654321:alarms' },
    { alarmEmail: undefined, monitoring: 'off' },
    { subscribers: [inside] },
  ])('%j has no warning', (fields) => {
    expect(warningsOf(fields)).toEqual([]);
  });

  it.each<[object, string]>([
    [{ alarmEmail: undefined }, 'alarms: monitoring "basic"'],
    [{ baseUrl: 'https://api.example.com' }, 'address: baseUrl "https://api.example.com"'],
    [{ authUrl: 'https://auth.test' }, 'address: authUrl'],
    [{ baseUrl: 'http://localhost:3000' }, 'address: baseUrl "http://localhost:3000" is this m'],
    [
      { subscribers: [{ ...webhook, endpoint: 'https://you.example/' }] },
      'address: subscribers[0].endpoint',
    ],
    [
      { subscribers: [{ ...inside, endpoint: 'http://localhost:3000/hook' }] },
      'address: subscribers[0].endpoint "http://localhost:3000/hook" is this machine',
    ],
  ])('%j has the warning %s', (fields, warning) => {
    expect(warningsOf(fields)).toEqual([expect.stringContaining(warning)]);
  });
});

describe('a filter policy', () => {
  it.each([
    { type: ['floorplan.created', { suffix: '.deleted' }], cause: ['poll'] },
    { $or: [{ type: ['project.created'] }, { action: ['deleted'], changed: ['discipline'] }] },
  ])('has no warning with words that events have: %j', (policy) => {
    expect(filtered(policy)).toEqual([]);
  });

  it('may name sheets, items and additional lists, where the config shows them', () => {
    const policy = { entity: ['sheet', 'template_check_item', 'meeting'] };
    const meetings = { name: 'meetings', entity: 'meeting', path: '/meetings' };
    const shown = { serviceVersion: '2021-03-29', additionalResources: [meetings] };
    expect(filtered(policy, shown)).toEqual([]);
    expect(filtered({ type: ['sheet.updated'] }, { withCurrentSheet: true })).toEqual([]);
  });

  it.each<[object, string]>([
    [{ type: ['floorplan.created', 'floorplan.renamed'] }, '.type[1] "floorplan.renamed"'],
    [{ entity: ['sheet'] }, 'sheet has events only with withCurrentSheet true.'],
    [{ type: ['template_check_item.created'] }, 'only with a serviceVersion before 2021-04-15.'],
    [{ action: ['create'] }, '.action[0] "create"'],
    [{ cause: ['rewind'] }, '.cause[0] "rewind"'],
    [{ $or: [{ entity: ['plan'] }, { action: ['updated'] }] }, '.$or[0].entity[0] "plan"'],
  ])('has a warning with a word that no event has: %j', (policy, warning) => {
    expect(filtered(policy)).toEqual([expect.stringContaining(warning)]);
  });
});
