import { describe, expect, it } from 'vitest';
import { makeCatalog } from '../../../functions/core/model/resource-catalog.ts';
import { ConfigInvalidError, parseConfig } from '../../../infra/config/config.ts';

const ADDRESSES = { baseUrl: 'https://api.example.com', authUrl: 'https://auth.example.com' };
const LIST = { name: 'checklists', entity: 'checklist', path: '/projects/{project_id}/checklists' };
const OTHER = { name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' };

function messageOf(notifier: unknown): string {
  try {
    parseConfig(notifier);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigInvalidError);
    return (error as Error).message;
  }
  throw new Error('the config was accepted');
}

describe('the notifier config', () => {
  it('needs nothing but the two addresses', () => {
    expect(parseConfig({ dev: ADDRESSES })['dev']).toEqual({
      ...ADDRESSES,
      everyMinutes: 1,
      withCurrentSheet: false,
      perPage: 1000,
      requestsPerMinute: 500,
      lookbackSeconds: 60,
      baseline: 'silent',
      concurrency: 8,
      leaseSeconds: 30,
      additionalResources: [],
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

  it('takes every field as it is given', () => {
    const everything = {
      ...ADDRESSES,
      account: '123456789012',
      region: 'eu-central-1',
      everyMinutes: 5,
      serviceVersion: '2021-03-29',
      withCurrentSheet: true,
      perPage: 1,
      requestsPerMinute: 60,
      maxWaitSeconds: 600,
      pollEverySeconds: 5,
      lookbackSeconds: 0,
      baseline: 'emit',
      concurrency: 1,
      leaseSeconds: 15,
      additionalResources: [LIST],
      memoryMb: 1024,
      timeoutSeconds: 299,
      logRetentionDays: 7,
      logLevel: 'DEBUG',
      organisationId: 'o-a1b2c3d4e5',
      subscriberAccountIds: ['210987654321'],
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
      removalPolicy: 'destroy',
    };
    expect(parseConfig({ prod: everything })).toEqual({ prod: everything });
  });

  it('strips slashes at the end of an address', () => {
    const dev = { baseUrl: 'https://api.example.com/eu//', authUrl: 'https://auth.example.com/' };
    expect(parseConfig({ dev })['dev']).toMatchObject({
      baseUrl: 'https://api.example.com/eu',
      authUrl: 'https://auth.example.com',
    });
  });

  it.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'allows http on the loopback address %s',
    (baseUrl) => {
      expect(parseConfig({ dev: { ...ADDRESSES, baseUrl } })['dev']?.baseUrl).toBe(baseUrl);
    },
  );

  it.each([
    [undefined, 'notifier is missing; allowed: an object with one entry per stage'],
    ['dev', 'notifier is "dev"; allowed: an object with one entry per stage'],
    [{}, 'notifier is {}; allowed: at least one stage'],
    [{ Dev: ADDRESSES }, 'notifier.Dev is not a stage name; allowed: a stage name of at most 20'],
    [{ dev: null }, 'notifier.dev is null; allowed: the fields baseUrl, authUrl, account'],
  ])('tells what is wrong with %j', (notifier, problem) => {
    expect(messageOf(notifier)).toContain(problem);
  });

  it.each([
    ['baseUrl', undefined, 'is missing; allowed: an https URL (http for localhost only)'],
    ['baseUrl', 'http://api.example.com', 'allowed: an https URL (http for localhost only)'],
    ['baseUrl', 'http://localhost.example.com', 'allowed: an https URL'],
    ['baseUrl', 'api.example.com', 'is "api.example.com"; allowed: an https URL'],
    ['baseUrl', 'https://api.example.com/api/v3', '/api/v3, which is added'],
    ['authUrl', 'https://auth.example.com/?a=b', 'without user, query, fragment'],
    ['authUrl', 5, 'is 5; allowed: an https URL'],
    ['authUrl', 'https://auth.example.com/api_keys/jwt', 'without /api_keys/jwt, which is added'],
    ['authUrl', 'https://auth.example.com/api_keys/jwt/', 'without /api_keys/jwt, which is added'],
    ['authUrl', 'https://auth.example.com/api/v3', 'backslash and /api/v3'],
    ['baseUrl', ' https://api.example.com', 'white space'],
    ['baseUrl', 'https://api.example.com\n', 'white space'],
    ['baseUrl', 'https://api.exa\tmple.com', 'white space'],
    ['baseUrl', 'https://api.example.com/a b', 'white space'],
    ['baseUrl', 'https://api.example.com\u0000', 'white space'],
    ['baseUrl', 'https://api.example.com/\u0085', 'white space'],
    ['baseUrl', 'https:\\\\api.example.com', 'backslash'],
    ['account', '12345', 'is "12345"; allowed: an AWS account id of 12 digits'],
    ['account', 123456789012, 'is 123456789012; allowed: an AWS account id of 12 digits'],
    ['region', 'Frankfurt', 'is "Frankfurt"; allowed: an AWS region'],
    ['everyMinutes', 0, 'is 0; allowed: a whole number of minutes from 1 to 60'],
    ['serviceVersion', '2021-02-30', 'is "2021-02-30"; allowed: a date YYYY-MM-DD'],
    ['serviceVersion', 'latest', 'is "latest"; allowed: a date YYYY-MM-DD'],
    ['withCurrentSheet', 'yes', 'is "yes"; allowed: true or false'],
    ['perPage', 0, 'is 0; allowed: a whole number of entities from 1 to 1000'],
    ['perPage', 1001, 'is 1001; allowed: a whole number of entities from 1 to 1000'],
    ['perPage', 1.5, 'is 1.5; allowed: a whole number'],
    ['perPage', '50', 'is "50"; allowed: a whole number'],
    ['requestsPerMinute', 0, 'is 0; allowed: a whole number of requests a minute from 1'],
    ['maxWaitSeconds', 59, 'is 59; allowed: a whole number of seconds from 60 to 86400'],
    ['maxWaitSeconds', 119, 'is 119; allowed: at least twice the time between two runs'],
    ['pollEverySeconds', 4, 'is 4; allowed: a whole number of seconds from 5 to 3600'],
    [
      'pollEverySeconds',
      45,
      'is 45; allowed: less than 45, or a run has no time for a second sweep: timeoutSeconds without the last 10',
    ],
    ['lookbackSeconds', -1, 'is -1; allowed: a whole number of seconds from 0 to 3600'],
    ['baseline', 'loud', 'is "loud"; allowed: "silent" or "emit"'],
    ['concurrency', 0, 'is 0; allowed: a whole number of lists from 1 to 64'],
    ['leaseSeconds', 14, 'is 14; allowed: a whole number of seconds from 15 to 90'],
    ['leaseSeconds', 91, 'is 91; allowed: a whole number of seconds from 15 to 90'],
    ['memoryMb', 255, 'is 255; allowed: a whole number of MB from 256 to 10240'],
    ['timeoutSeconds', 29, 'is 29; allowed: a whole number of seconds from 30 to 900'],
    ['timeoutSeconds', 60, 'is 60; allowed: less than the time between two runs (everyMinutes)'],
    ['logRetentionDays', 2, 'is 2; allowed: one of 1, 3, 5, 7'],
    ['logLevel', 'LOUD', 'is "LOUD"; allowed: "DEBUG" or "INFO" or "WARN" or "ERROR"'],
    ['organisationId', 'mine', 'is "mine"; allowed: an AWS organisation id'],
    ['subscriberAccountIds', '123456789012', 'allowed: a list of AWS account ids'],
    ['removalPolicy', 'keep', 'is "keep"; allowed: "retain" or "destroy"'],
    ['topicType', 'FIFO', 'is "FIFO"; allowed: "standard" or "fifo"'],
    ['archiveDays', 0, 'is 0; allowed: a whole number of days from 1 to 365'],
    ['archiveDays', 30, 'is 30; allowed: nothing, since only a FIFO topic has an archive'],
    ['subscribers', {}, 'is {}; allowed: a list of subscribers'],
    ['additionalResources', {}, 'is {}; allowed: a list of objects with name, entity and path'],
    ['everyMinute', 1, 'is not known; allowed: the fields baseUrl, authUrl, account'],
  ])('tells that %s must not be %j', (field, value, problem) => {
    const message = messageOf({ dev: { ...ADDRESSES, [field]: value } });
    expect(message).toContain(`notifier.dev.${field} `);
    expect(message).toContain(problem);
  });

  it.each([
    [[{ ...LIST, name: 'Check lists' }], '[0].name', 'is "Check lists"; allowed: a name'],
    [[{ ...LIST, name: 'floorplans' }], '[0].name', 'allowed: a name other than projects'],
    [[{ ...LIST, name: 'a'.repeat(65) }], '[0].name', 'a name of at most 64 lower-case letters'],
    [[{ ...LIST, entity: 'a'.repeat(65) }], '[0].entity', 'a word of at most 64 lower-case'],
    [[{ ...LIST, path: `${LIST.path}${'s'.repeat(200)}` }], '[0].path', 'at most 200 characters'],
    [
      [{ ...LIST, entity: 'sheet' }],
      '[0].entity',
      'is "sheet"; allowed: a word other than project',
    ],
    [[LIST, { ...OTHER, entity: 'checklist' }], '[1].entity', 'a word that no other entry has'],
    [[5, LIST, LIST], '[2].name', 'a name that no other entry has'],
    [
      [
        { ...LIST, entity: 'A' },
        { ...OTHER, path: LIST.path },
      ],
      '[1].path',
      'that no other entry has',
    ],
    [[{ ...LIST, entity: 'Check-list' }], '[0].entity', 'is "Check-list"; allowed: a word'],
    [[{ ...LIST, path: '/checklists' }], '[0].path', 'that starts with /projects/'],
    [[{ ...LIST, path: '/projects/{project_id}/../x' }], '[0].path', 'that starts with'],
    [[{ ...LIST, path: '/projects/{project_id}/floorplans' }], '[0].path', 'not polled already'],
    [[{ ...LIST, nested: [] }], '[0].nested', 'is not known; allowed: the fields name, entity'],
    [[LIST, { ...LIST, path: `${LIST.path}/x` }], '[1].name', 'a name that no other entry has'],
    [[LIST, { ...LIST, name: 'more' }], '[1].path', 'a path that no other entry has'],
  ])('refuses the additional resources %j', (additionalResources, field, problem) => {
    const message = messageOf({ dev: { ...ADDRESSES, additionalResources } });
    expect(message).toContain(`notifier.dev.additionalResources${field} `);
    expect(message).toContain(problem);
  });

  it('knows all names and words that are built in', () => {
    const { projects, perProject } = makeCatalog();
    for (const { name, entity, nested = [] } of [projects, ...perProject]) {
      for (const [field, word] of [
        ['name', name],
        ['entity', entity],
        ...nested.map((one) => ['entity', one.entity] as const),
      ] as const) {
        const additionalResources = [{ ...LIST, [field]: word }];
        const message = messageOf({ dev: { ...ADDRESSES, additionalResources } });
        expect(message).toContain(`additionalResources[0].${field} is "${word}"`);
      }
    }
  });

  it('takes further resources whose names are as long as may be', () => {
    const path = '/projects/{project_id}/'.padEnd(200, 'x');
    const additionalResources = [{ name: 'n'.repeat(64), entity: 'e'.repeat(64), path }];
    const { dev } = parseConfig({ dev: { ...ADDRESSES, additionalResources } });
    expect(dev?.additionalResources).toEqual(additionalResources);
  });

  it('refuses further resources that do not fit into the environment of a function', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        name: `list_${i + 10}`,
        entity: `entity_${i + 10}`,
        path: `/projects/{project_id}/list_${i + 10}`,
      }));
    const fits = Math.floor((2500 - 1) / (JSON.stringify(many(1)).length - 1));
    expect(JSON.stringify(many(fits)).length).toBeLessThanOrEqual(2500);
    const additionalResources = many(fits);
    expect(parseConfig({ dev: { ...ADDRESSES, additionalResources } })['dev']).toMatchObject({
      additionalResources,
    });
    const problems = messageOf({ dev: { ...ADDRESSES, additionalResources: many(fits + 1) } });
    const bytes = JSON.stringify(many(fits + 1)).length;
    expect(problems.split('\n')[1]).toMatch(
      /^ {2}notifier\.dev\.additionalResources is \[.*…; allowed: /,
    );
    expect(problems).toContain(`a list of at most 2500 bytes as JSON, this one has ${bytes}`);
  });

  it('tells each problem once', () => {
    const dev = {
      ...ADDRESSES,
      perPage: 2 ** 60,
      additionalResources: [LIST, { ...OTHER, name: '', entity: 'SHEET', path: '/' }],
    };
    const lines = messageOf({ dev }).split('\n');
    expect(lines.filter((line, i) => lines.indexOf(line) !== i)).toEqual([]);
    expect(lines.filter((line) => line.includes('perPage'))).toHaveLength(1);
  });

  it('allows longer runs when they are further apart', () => {
    const dev = { ...ADDRESSES, everyMinutes: 16, timeoutSeconds: 900 };
    expect(parseConfig({ dev })['dev']?.timeoutSeconds).toBe(900);
  });

  it('tells all problems of all stages at once', () => {
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
    ['baseUrl', 'https://someone:s3cret@api.example.com'],
    ['baseUrl', 'https://someone:pa/s3cret@api.example.com'],
    ['baseUrl', 'https://someone:p@s3cret@api.example.com'],
    ['baseUrl', 'https://someone:p@ss/s3cret@api.example.com'],
    ['baseUrl', 'someone:s3cret@api.example.com'],
    ['baseUrl', 'https:\\\\someone:s3cret@api.example.com'],
    ['baseUrl', `https://someone:s3cret${'x'.repeat(100)}@api.example.com`],
    ['baseUrl', 'https://someone:s3\ncret@api.example.com'],
    ['additionalResources', { from: `https://someone:s3cret${'x'.repeat(100)}@api.example.com` }],
  ])('does not repeat a password that stands in an address: %s = %j', (field, value) => {
    const message = messageOf({ dev: { ...ADDRESSES, [field]: value } });
    expect(message).toContain(`notifier.dev.${field} is `);
    expect(message).toContain('…@api.example.com');
    expect(message).not.toMatch(/s3|cret|someone/);
  });
});
