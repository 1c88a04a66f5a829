import { describe, expect, it } from 'vitest';
import { pollerConfig } from '../../../functions/settings/poller-config.ts';
import { ADDRESSES, POLLER_FIELDS } from '../../support/config-samples.ts';

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
});
