import { describe, expect, it } from 'vitest';
import { parseSettings, SettingsInvalidError } from '../../../functions/settings/settings.ts';
import { ADDRESSES } from '../../support/config-samples.ts';

const REQUIRED = {
  SITECAST_CONFIG: JSON.stringify(ADDRESSES),
  SITECAST_REFRESH_TOKEN_SECRET: 'refresh-token',
  SITECAST_TABLE: 'sitecast-table',
  SITECAST_TOPIC_ARN: 'arn:aws:sns:eu-central-1:123456789012:topic',
  SITECAST_LARGE_EVENTS_BUCKET: 'large-events-1',
};

function errorOf(env: Record<string, string | undefined>): SettingsInvalidError {
  try {
    parseSettings(env);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsInvalidError);
    return error as SettingsInvalidError;
  }
  throw new Error('the environment was accepted');
}

describe('parseSettings', () => {
  it('reads the config, with its defaults, and the resources', () => {
    expect(parseSettings(REQUIRED)).toMatchObject({
      ...ADDRESSES,
      perPage: 1000,
      maxWaitSeconds: 1800,
      refreshTokenSecret: 'refresh-token',
      table: 'sitecast-table',
      topicArn: 'arn:aws:sns:eu-central-1:123456789012:topic',
      largeEventsBucket: 'large-events-1',
    });
  });

  it.each([
    [{ everyMinutes: 10 }, 1800],
    [{ everyMinutes: 11 }, 1980],
    [{ everyMinutes: 11, maxWaitSeconds: 1320 }, 1320],
  ])('takes from %j the maximum wait of %i seconds', (times, maxWaitSeconds) => {
    const env = { ...REQUIRED, SITECAST_CONFIG: JSON.stringify({ ...ADDRESSES, ...times }) };
    expect(parseSettings(env)).toMatchObject({ maxWaitSeconds });
  });

  it('ignores other variables, and fields of another version', () => {
    const SITECAST_CONFIG = JSON.stringify({ ...ADDRESSES, colour: 'red' });
    const env = { ...REQUIRED, SITECAST_CONFIG, SITECAST_COLOUR: 'red', PATH: '/bin' };
    expect(parseSettings(env)).toEqual(parseSettings(REQUIRED));
  });

  it.each(Object.keys(REQUIRED))('requires %s', (name) => {
    for (const value of [undefined, '']) {
      const { message } = errorOf({ ...REQUIRED, [name]: value });
      expect(message).toContain(`  ${name} is missing; allowed: `);
    }
  });

  it.each([
    ['SITECAST_CONFIG', 'x', 'a JSON object with the fields baseUrl, authUrl, everyMinutes, '],
  ])('refuses %s = %j', (name, value, allowed) => {
    const { message } = errorOf({ ...REQUIRED, [name]: value });
    expect(message).toContain(`  ${name} is ${JSON.stringify(value)}; allowed: ${allowed}`);
  });

  it('reports all problems at once, and how to correct them', () => {
    const error = errorOf({
      ...REQUIRED,
      SITECAST_CONFIG: '{"baseUrl":"https://api.example.com","perPage":0}',
      SITECAST_TABLE: '',
    });
    expect(error.message.split('\n')).toEqual([
      "The poller's environment is invalid:",
      expect.stringContaining(
        '  SITECAST_CONFIG.authUrl is missing; allowed: an https URL',
      ) as string,
      '  SITECAST_CONFIG.perPage is 0; allowed: a whole number of entities from 1 to 1000',
      '  SITECAST_TABLE is missing; allowed: name of a DynamoDB table',
    ]);
    expect(error.hint).toContain('cdk.json');
  });

  it.each([
    JSON.stringify({ ...ADDRESSES, baseUrl: 'https://someone:s3cret@api.example.com' }),
    '{"baseUrl":"https://someone:s3cret@api.example.com',
  ])('does not show the credentials in %s', (SITECAST_CONFIG) => {
    const { message } = errorOf({ ...REQUIRED, SITECAST_CONFIG });
    expect(message).toContain('…@api.example.com');
    expect(message).not.toMatch(/s3cret|someone/);
  });
});
