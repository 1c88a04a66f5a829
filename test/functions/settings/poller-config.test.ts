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
  ])('accepts the address %s, without slashes at its end', (baseUrl, stripped) => {
    expect(pollerConfig.parse({ ...ADDRESSES, baseUrl }).baseUrl).toBe(stripped);
  });

  it.each([
    ['baseUrl', undefined, 'is missing; allowed: an https URL (http for localhost only)'],
    ['baseUrl', 'http://api.example.com', 'allowed: an https URL (http for localhost only)'],
    ['baseUrl', 'https://api.example.com/api/v3', '/api/v3, which is added'],
    ['baseUrl', 'https://me@api.example.com', 'allowed: a URL without user and password'],
    ['baseUrl', ' https://api.example.com', 'white space'],
    ['everyMinutes', 0, 'is 0; allowed: a whole number of minutes from 1 to 60'],
    ['serviceVersion', '2021-02-30', 'is "2021-02-30"; allowed: a date YYYY-MM-DD'],
    ['perPage', 0, 'is 0; allowed: a whole number of entities from 1 to 1000'],
    ['perPage', '50', 'is "50"; allowed: a whole number'],
    ['baseline', 'loud', 'is "loud"; allowed: "silent" or "emit"'],
    ['projects', [], 'is []; allowed: a list of ids of projects; leave it out'],
  ])('refuses %s = %j', (field, value, problem) => {
    const lines = problemsOf({ ...ADDRESSES, [field]: value }).split('\n');
    expect(lines).toEqual([expect.stringContaining(`  ${field} `)]);
    expect(lines[0]).toContain(problem);
  });
});
