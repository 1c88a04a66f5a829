import { describe, expect, it } from 'vitest';
import { ConfigInvalidError, parseConfig } from '../../../infra/config/config.ts';
import { ADDRESSES, EVERYTHING, FORMER, SURROUNDINGS } from '../../support/config-samples.ts';

/** A subscriber whose name is not valid. */
const QUEUE = {
  ...{ name: 'My queue', protocol: 'sqs' },
  endpoint: 'arn:aws:sqs:eu-central-1:210987654321:orders',
};

function messageOf(notifier: unknown): string {
  try {
    parseConfig(notifier);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigInvalidError);
    return (error as Error).message;
  }
  throw new Error('the config was accepted');
}

const EMAIL = 'operator@builder.eu';
const ALARMS = 'arn:aws:sns:eu-central-1:210987654321:alarms';

describe('the notifier config', () => {
  it('requires only the two addresses', () => {
    expect(parseConfig({ dev: ADDRESSES })['dev']).toMatchObject({
      ...ADDRESSES,
      everyMinutes: 1,
      memoryMb: 512,
      timeoutSeconds: 55,
      logRetentionDays: 30,
      logLevel: 'INFO',
      subscriberAccountIds: [],
      topicType: 'standard',
      subscribers: [],
      removalPolicy: 'retain',
    });
  });

  it.each(['eu-central-1', 'us-gov-west-1', 'cn-northwest-1', 'eusc-de-east-1'])(
    'accepts the region %s',
    (region) => {
      expect(parseConfig({ dev: { ...ADDRESSES, region } })['dev']).toMatchObject({ region });
    },
  );

  it('keeps every field', () => {
    const everything = {
      ...ADDRESSES,
      account: '123456789012',
      region: 'eu-central-1',
      ...EVERYTHING,
      enabled: false,
      deletionProtection: false,
      ...SURROUNDINGS,
      ...FORMER,
      topicType: 'fifo',
      archiveDays: 30,
      subscribers: [
        {
          name: 'orders',
          protocol: 'sqs',
          endpoint: 'arn:aws:sqs:eu-central-1:210987654321:orders.fifo',
          filterPolicy: { entity: ['floorplan'] },
          filterPolicyScope: 'MessageAttributes',
          rawMessageDelivery: true,
        },
      ],
    };
    expect(parseConfig({ prod: everything })).toEqual({ prod: everything });
  });

  it.each([
    [undefined, 'notifier is missing; allowed: an object with one entry per stage'],
    ['dev', 'notifier is "dev"; allowed: an object with one entry per stage'],
    [{}, 'notifier is {}; allowed: at least one stage'],
    [
      { Dev: ADDRESSES },
      'notifier.Dev is not a valid name; allowed: a stage name of at most 20 lower-case letters, digits and -, starting with a letter',
    ],
    [
      ADDRESSES,
      "notifier.baseUrl is a field of a stage, not a stage; put the fields under the stage's name: notifier.prod.baseUrl",
    ],
    [{ dev: null }, 'notifier.dev is null; allowed: the fields baseUrl, authUrl, everyMinutes'],
  ])('refuses %j', (notifier, problem) => {
    expect(messageOf(notifier)).toContain(problem);
  });

  it('says of a stage that is a list this alone, and not that fields of it are missing', () => {
    expect(messageOf({ dev: [] }).split('\n').slice(1)).toEqual([
      expect.stringMatching(/^ {2}notifier\.dev is \[\]; allowed: the fields baseUrl/),
    ]);
  });

  it.each([
    ['perPage', 0, 'is 0; allowed: a whole number of entities from 1 to 1000'],
    ['account', '12345', 'is "12345"; allowed: an AWS account id of 12 digits'],
    [
      'account',
      123456789012,
      'is 123456789012; allowed: an AWS account id of 12 digits, as text, in quotes',
    ],
    ['region', 'Frankfurt', 'is "Frankfurt"; allowed: an AWS region'],
    ['maxWaitSeconds', 119, 'is 119; allowed: at least 120: twice the time between two runs'],
    [
      'pollEverySeconds',
      45,
      'is 45; allowed: less than 45, or a run has no time for a second sweep: timeoutSeconds without the last 10',
    ],
    ['memoryMb', 255, 'is 255; allowed: a whole number of MB from 256 to 10240'],
    ['timeoutSeconds', 29, 'is 29; allowed: a whole number of seconds from 30 to 55'],
    ['logRetentionDays', 2, 'is 2; allowed: one of 1, 3, 5, 7'],
    ['logLevel', 'LOUD', 'is "LOUD"; allowed: "DEBUG" or "INFO" or "WARN" or "ERROR"'],
    ['organisationId', 'mine', 'is "mine"; allowed: an AWS organisation id'],
    ['alarmEmail', 'operator', 'is "operator"; allowed: an e-mail address'],
    ['runbookUrl', 'docs/operations.md', 'is "docs/operations.md"; allowed: an https URL'],
    [
      'runbookUrl',
      'https://a.test/b#c',
      'is "https://a.test/b#c"; allowed: a URL without fragment',
    ],
    [
      'alarmTopicArn',
      'alarms',
      'is "alarms"; allowed: the ARN of a standard SNS topic such as arn:aws:sns:eu-central-1:123456789012:alarms',
    ],
    ['alarmTopicArn', 'arn:aws:sns:eu-central-1:210987654321:a.fifo', 'a standard SNS topic'],
    ['subscriberAccountIds', '123456789012', 'allowed: a list of AWS account ids'],
    ['removalPolicy', 'keep', 'is "keep"; allowed: "retain" or "destroy"'],
    ['topicType', 'FIFO', 'is "FIFO"; allowed: "standard" or "fifo"'],
    ['archiveDays', 0, 'is 0; allowed: a whole number of days from 1 to 365'],
    ['archiveDays', 30, 'is 30; allowed: nothing, since only a FIFO topic has an archive'],
    ['subscribers', {}, 'is {}; allowed: a list of subscribers'],
    ['everyMinute', 1, 'is not known; did you mean "everyMinutes"?'],
    ['colour', 'red', 'is not known; allowed: the fields baseUrl, authUrl, everyMinutes'],
  ])('refuses %s = %j', (field, value, problem) => {
    const message = messageOf({ dev: { ...ADDRESSES, [field]: value } });
    expect(message).toContain(`notifier.dev.${field} `);
    expect(message).toContain(problem);
  });

  it.each([
    [{ alarmEmail: EMAIL, monitoring: 'off' }, 'alarmEmail', 'nothing, since monitoring "off"'],
    [{ alarmTopicArn: ALARMS, monitoring: 'off' }, 'alarmTopicArn', 'nothing, since monitoring'],
    [
      { alarmEmail: EMAIL, alarmTopicArn: ALARMS },
      'alarmEmail',
      'nothing beside alarmTopicArn: subscribe the address to that topic',
    ],
    [
      { alarmTopicArn: ALARMS, region: 'eu-west-1' },
      'alarmTopicArn',
      "a topic in the stage's region (eu-west-1), since alarms are sent to no other",
    ],
  ])('refuses %j', (fields, field, allowed) => {
    const message = messageOf({ dev: { ...ADDRESSES, ...fields } });
    expect(message).toContain(`notifier.dev.${field} is `);
    expect(message).toContain(`; allowed: ${allowed}`);
  });

  it('reports all problems of all stages at once', () => {
    const message = messageOf({
      dev: { baseUrl: 'nowhere', perPage: 0, timeoutSeconds: 60, colour: 'red' },
      prod: { ...ADDRESSES, removalPolicy: 'keep' },
    });
    const fields = message
      .split('\n')
      .flatMap((line) => /^ {2}(notifier\S+)/.exec(line)?.[1] ?? []);
    expect(fields.sort()).toEqual([
      'notifier.dev.authUrl',
      'notifier.dev.baseUrl',
      'notifier.dev.colour',
      'notifier.dev.perPage',
      'notifier.dev.timeoutSeconds',
      'notifier.prod.removalPolicy',
    ]);
  });

  it.each([
    ['a mistyped name of a required field', { baseURL: 'https://x.eu', baseUrl: undefined }],
    ['a rate that a default does not fit', { everyMinutes: 0 }],
    ['an unknown type of the topic', { topicType: 'FIFO', archiveDays: 30 }],
    [
      'one name twice that is not valid',
      { subscribers: [QUEUE, { ...QUEUE, endpoint: `${QUEUE.endpoint}2` }] },
    ],
    [
      'a filter whose scope is not known',
      {
        subscribers: [
          { ...QUEUE, name: 'q', filterPolicyScope: 'Body', filterPolicy: { data: {} } },
        ],
      },
    ],
  ])('reports %s once, and nothing that follows from it', (_, fields) => {
    const [, ...lines] = messageOf({ dev: { ...ADDRESSES, ...fields } }).split('\n');
    const wrong = new Set(lines.map((line) => line.replace(/\[\d\]/, '').replace(/ is .*/, '')));
    expect([...wrong]).toHaveLength(1);
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.join()).not.toMatch(/missing|no other entry|only a FIFO/);
  });

  it('does not show credentials', () => {
    const baseUrl = 'https://someone:s3cret@api.example.com';
    const message = messageOf({ dev: { ...ADDRESSES, baseUrl } });
    expect(message).toContain('notifier.dev.baseUrl is "https://…@api.example.com"; allowed: ');
  });
});
