import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../../functions/settings/settings.ts';
import { SettingsInvalidError } from '../../../functions/core/model/errors.ts';

const REQUIRED = {
  SITECAST_BASE_URL: 'https://api.example.com',
  SITECAST_AUTH_URL: 'https://auth.example.com',
  SITECAST_REFRESH_TOKEN_SECRET: 'refresh-token',
  SITECAST_TABLE: 'sitecast-table',
  SITECAST_TOPIC_ARN: 'arn:aws:sns:eu-central-1:123456789012:topic',
  SITECAST_LARGE_EVENTS_BUCKET: 'large-events-1',
  SITECAST_QUARANTINE_URL: 'http://127.0.0.1:4566/000000000000/quarantine',
  SITECAST_PER_PAGE: '1000',
  SITECAST_REQUESTS_PER_MINUTE: '500',
  SITECAST_EVERY_MINUTES: '1',
  SITECAST_MAX_WAIT_SECONDS: '1800',
  SITECAST_LOOKBACK_SECONDS: '60',
  SITECAST_BASELINE: 'silent',
  SITECAST_CONCURRENCY: '8',
  SITECAST_LEASE_SECONDS: '60',
};
const LIST = { name: 'checklists', entity: 'checklist', path: '/projects/{project_id}/checklists' };
const FLOORPLANS = '/projects/{project_id}/floorplans';

function errorOf(env: Record<string, string | undefined>): SettingsInvalidError {
  try {
    parseSettings(env);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsInvalidError);
    return error as SettingsInvalidError;
  }
  throw new Error('the environment was accepted');
}

describe('the settings', () => {
  it('are read from the environment', () => {
    expect(parseSettings(REQUIRED)).toEqual({
      baseUrl: 'https://api.example.com',
      authUrl: 'https://auth.example.com',
      refreshTokenSecret: 'refresh-token',
      table: 'sitecast-table',
      topicArn: 'arn:aws:sns:eu-central-1:123456789012:topic',
      largeEventsBucket: 'large-events-1',
      quarantineUrl: 'http://127.0.0.1:4566/000000000000/quarantine',
      withCurrentSheet: false,
      additionalResources: [],
      perPage: 1000,
      requestsPerMinute: 500,
      everyMinutes: 1,
      maxWaitSeconds: 1800,
      lookbackSeconds: 60,
      baseline: 'silent',
      concurrency: 8,
      leaseSeconds: 60,
    });
  });

  it('take what is optional', () => {
    const settings = parseSettings({
      ...REQUIRED,
      SITECAST_SERVICE_VERSION: '2021-03-29',
      SITECAST_WITH_CURRENT_SHEET: 'true',
      SITECAST_POLL_EVERY_SECONDS: '5',
      SITECAST_ADDITIONAL_RESOURCES: JSON.stringify([LIST]),
    });
    expect(settings).toMatchObject({
      serviceVersion: '2021-03-29',
      withCurrentSheet: true,
      pollEverySeconds: 5,
      additionalResources: [LIST],
    });
  });

  it('hold addresses without a slash at their end', () => {
    const env = { ...REQUIRED, SITECAST_BASE_URL: 'http://127.0.0.1:3000/x//' };
    expect(parseSettings(env).baseUrl).toBe('http://127.0.0.1:3000/x');
  });

  it('do not care for other variables', () => {
    expect(parseSettings({ ...REQUIRED, SITECAST_COLOUR: 'red', PATH: '/bin' })).toEqual(
      parseSettings(REQUIRED),
    );
  });

  it.each(Object.keys(REQUIRED))('cannot do without %s', (name) => {
    for (const value of [undefined, '']) {
      const { message } = errorOf({ ...REQUIRED, [name]: value });
      expect(message).toContain(`  ${name} is missing; allowed: `);
    }
  });

  it.each([
    ['SITECAST_BASE_URL', 'http://api.example.com', 'an https URL (http for localhost only)'],
    ['SITECAST_BASE_URL', 'api.example.com', 'an https URL'],
    ['SITECAST_BASE_URL', 'https://api.example.com/api/v3', 'an https URL'],
    ['SITECAST_AUTH_URL', 'ftp://auth.example.com', 'an https URL'],
    ['SITECAST_AUTH_URL', 'https://auth.example.com?a', 'an https URL'],
    ['SITECAST_AUTH_URL', 'https://auth.example.com/api_keys/jwt', 'an https URL'],
    ['SITECAST_BASE_URL', ' https://api.example.com', 'an https URL'],
    ['SITECAST_BASE_URL', 'https://api.example.com\n', 'an https URL'],
    ['SITECAST_BASE_URL', 'https://api.example.com\u0000', 'an https URL'],
    ['SITECAST_BASE_URL', 'https:\\\\api.example.com', 'an https URL'],
    ['SITECAST_TABLE', 'my table', 'name of a DynamoDB table'],
    ['SITECAST_TOPIC_ARN', 'topic', 'ARN of an SNS topic'],
    ['SITECAST_TOPIC_ARN', `${REQUIRED.SITECAST_TOPIC_ARN}.fif`, 'ARN of an SNS topic'],
    ['SITECAST_LARGE_EVENTS_BUCKET', 'Large', 'name of an S3 bucket'],
    ['SITECAST_TOPIC_ARN', 'arn:aws:sqs:eu-central-1:123456789012:topic', 'ARN of an SNS topic'],
    ['SITECAST_QUARANTINE_URL', 'quarantine', 'URL of an SQS queue'],
    ['SITECAST_SERVICE_VERSION', '2021-13-01', 'a date YYYY-MM-DD'],
    ['SITECAST_SERVICE_VERSION', '2021-02-30', 'a date YYYY-MM-DD'],
    ['SITECAST_SERVICE_VERSION', '2021', 'a date YYYY-MM-DD'],
    ['SITECAST_WITH_CURRENT_SHEET', 'yes', '"true" or "false"'],
    ['SITECAST_PER_PAGE', '0', 'a whole number of entities from 1 to 1000'],
    ['SITECAST_PER_PAGE', '1001', 'a whole number of entities from 1 to 1000'],
    ['SITECAST_PER_PAGE', '1e2', 'a whole number of entities from 1 to 1000'],
    ['SITECAST_REQUESTS_PER_MINUTE', 'many', 'a whole number of requests a minute from 1'],
    ['SITECAST_EVERY_MINUTES', '61', 'a whole number of minutes from 1 to 60'],
    ['SITECAST_MAX_WAIT_SECONDS', '59', 'a whole number of seconds from 60 to 86400'],
    ['SITECAST_POLL_EVERY_SECONDS', '4', 'a whole number of seconds from 5 to 3600'],
    ['SITECAST_LOOKBACK_SECONDS', '-1', 'a whole number of seconds from 0 to 3600'],
    ['SITECAST_BASELINE', 'loud', '"silent" or "emit"'],
    ['SITECAST_CONCURRENCY', '65', 'a whole number of lists from 1 to 64'],
    ['SITECAST_LEASE_SECONDS', '14', 'a whole number of seconds from 15 to 90'],
    ['SITECAST_ADDITIONAL_RESOURCES', 'checklists', 'a JSON list of objects'],
  ])('refuse %s = %j', (name, value, allowed) => {
    const { message } = errorOf({ ...REQUIRED, [name]: value });
    expect(message).toContain(`  ${name} is ${JSON.stringify(value)}; allowed: ${allowed}`);
  });

  it.each([
    [{}, ' is {}; allowed: a JSON list of objects'],
    [[5], '[0] is 5; allowed: the fields name, entity, path'],
    [[{ ...LIST, name: undefined }], '[0].name is missing; allowed: a word'],
    [[LIST, { ...LIST, entity: 'A' }], '[1].entity is "A"; allowed: a word'],
    [[{ ...LIST, path: '/checklists' }], '[0].path is "/checklists"; allowed: a path that starts'],
    [[{ ...LIST, name: 'floorplans' }], '[0].name is "floorplans"; allowed: a name other than'],
    [[{ ...LIST, path: FLOORPLANS }], `[0].path is "${FLOORPLANS}"; allowed: a path other than`],
    [[LIST, { ...LIST, path: FLOORPLANS }], '[1].name is "checklists"; allowed: a name that no'],
    [[5, LIST, LIST], `[2].path is "${LIST.path}"; allowed: a path that no other entry has`],
    [[{ ...LIST, query: {} }], '[0].query is not known; allowed: the fields name, entity, path'],
  ])('refuse the additional resources %j', (resources, problem) => {
    const env = { ...REQUIRED, SITECAST_ADDITIONAL_RESOURCES: JSON.stringify(resources) };
    expect(errorOf(env).message).toContain(`  SITECAST_ADDITIONAL_RESOURCES${problem}`);
  });

  it('tell all problems at once, and what to do', () => {
    const error = errorOf({ ...REQUIRED, SITECAST_TABLE: '', SITECAST_PER_PAGE: '0' });
    expect(error.message.split('\n').slice(1)).toEqual([
      '  SITECAST_TABLE is missing; allowed: name of a DynamoDB table',
      '  SITECAST_PER_PAGE is "0"; allowed: a whole number of entities from 1 to 1000',
    ]);
    expect(error.hint).toContain('cdk.json');
  });

  it.each([
    'https://someone:s3cret@api.example.com',
    'https://someone:pa/s3cret@api.example.com',
    'https://someone:p@s3cret@api.example.com',
    'someone:s3cret@api.example.com',
    `https://someone:s3cret${'x'.repeat(100)}@api.example.com`,
  ])('do not repeat the password that stands in %s', (url) => {
    for (const name of ['SITECAST_BASE_URL', 'SITECAST_ADDITIONAL_RESOURCES']) {
      const { message } = errorOf({ ...REQUIRED, [name]: url });
      expect(message).toContain(`${name} is `);
      expect(message).toContain('…@api.example.com');
      expect(message).not.toMatch(/s3cret|someone/);
    }
  });
});
