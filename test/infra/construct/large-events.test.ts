import { describe, expect, it } from 'vitest';
import { onlyResource, templateOf } from '../synthesize.ts';

describe('the bucket of large events', () => {
  it.each([
    [7, 30],
    [365, 365],
  ])('with an archive of %i days expires events after %i days', (archiveDays, days) => {
    const { properties } = onlyResource(
      templateOf({ topicType: 'fifo', archiveDays }),
      'AWS::S3::Bucket',
    );
    expect(properties['LifecycleConfiguration']).toMatchObject({
      Rules: [{ Id: 'Expire', ExpirationInDays: days }, { Id: 'ExpireQuarantine' }, {}],
    });
  });
});
