import { describe, expect, it } from 'vitest';
import { describeProblems } from '../../../functions/settings/describe-problems.ts';
import { pollerConfig } from '../../../functions/settings/poller-config.ts';
import { ADDRESSES, POLLER_FIELDS } from '../../support/config-samples.ts';

function problemsOf(config: object): string {
  const { error } = pollerConfig.safeParse(config);
  return error === undefined ? '' : describeProblems(error, config);
}

describe('pollerConfig', () => {
  it('requires only the two addresses', () => {
    expect(pollerConfig.parse(ADDRESSES)).toEqual({
      ...ADDRESSES,
      everyMinutes: 1,
      withCurrentSheet: false,
      shards: 1,
      perPage: 1000,
      requestsPerMinute: 500,
      lookbackSeconds: 60,
      retentionDays: 400,
      baseline: 'silent',
      concurrency: 8,
      monitoring: 'basic',
      additionalResources: [],
      reconcile: { maxMissingShare: 0.5 },
    });
    expect(pollerConfig.parse({ ...ADDRESSES, reconcile: { schedule: 'weekly' } })).toMatchObject({
      reconcile: { maxMissingShare: 0.5, schedule: 'weekly' },
    });
  });

  it('keeps every field, also after a round trip as JSON', () => {
    const config = { ...ADDRESSES, ...POLLER_FIELDS };
    const parsed = pollerConfig.parse(config);
    expect(parsed).toEqual(config);
    expect(pollerConfig.parse(JSON.parse(JSON.stringify(parsed)))).toEqual(config);
  });

  it.each([
    ['https://api.example.com/eu//', 'https://api.example.com/eu'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:3000/x/', 'http://127.0.0.1:3000/x'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('accepts the address %s, without slashes at its end', (baseUrl, stripped) => {
    expect(pollerConfig.parse({ ...ADDRESSES, baseUrl }).baseUrl).toBe(stripped);
  });

  it.each([
    ['baseUrl', undefined, 'is missing; allowed: an https URL (http for localhost only)'],
    ['baseUrl', 'http://api.example.com', 'allowed: an https URL (http for localhost only)'],
    ['baseUrl', 'http://localhost.example.com', 'allowed: an https URL'],
    ['baseUrl', 'api.example.com', 'is "api.example.com"; allowed: an https URL'],
    ['baseUrl', 'https://api.example.com/api/v3', '/api/v3, which is added'],
    ['authUrl', 'https://auth.example.com/?a=b', 'allowed: an https URL without query (?)'],
    ['authUrl', 5, 'is 5; allowed: an https URL (http for localhost only), as text, in quotes'],
    ['authUrl', 'https://auth.example.com/api_keys/jwt', 'without /api_keys/jwt, which is added'],
    ['authUrl', 'https://auth.example.com/api_keys/jwt/', 'without /api_keys/jwt, which is added'],
    ['authUrl', 'https://auth.example.com/api/v3', 'allowed: without /api/v3'],
    ['baseUrl', 'https://me@api.example.com', 'allowed: a URL without user and password'],
    ['baseUrl', 'https://api.example.com/#x', 'allowed: a URL without fragment (#)'],
    ['baseUrl', ' https://api.example.com', 'white space'],
    ['baseUrl', 'https://api.example.com\n', 'white space'],
    ['baseUrl', 'https://api.exa\tmple.com', 'white space'],
    ['baseUrl', 'https://api.example.com/a b', 'white space'],
    ['baseUrl', 'https://api.example.com\u0000', 'white space'],
    ['baseUrl', 'https://api.example.com/\u0085', 'white space'],
    ['baseUrl', 'https:\\\\api.example.com', 'backslash'],
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
    ['pollEverySeconds', 4, 'is 4; allowed: a whole number of seconds from 5 to 3600'],
    ['lookbackSeconds', -1, 'is -1; allowed: a whole number of seconds from 0 to 3600'],
    ['baseline', 'loud', 'is "loud"; allowed: "silent" or "emit"'],
    ['concurrency', 0, 'is 0; allowed: a whole number of lists from 1 to 64'],
    ['resources', 'floorplans', 'allowed: a list of "floorplans" and "template_checklists"'],
    ['projects', [], 'is []; allowed: a list of ids of projects; leave it out'],
    ['monitoring', 'all', 'is "all"; allowed: "off" or "basic" or "full"'],
    ['monitoring', true, 'is true; allowed: "off" or "basic" or "full"'],
    ['additionalResources', {}, 'is {}; allowed: a list of objects with name, entity and path'],
  ])('refuses %s = %j', (field, value, problem) => {
    const lines = problemsOf({ ...ADDRESSES, [field]: value }).split('\n');
    expect(lines).toEqual([expect.stringContaining(`  ${field} `)]);
    expect(lines[0]).toContain(problem);
  });
});
