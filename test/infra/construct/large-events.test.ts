import { Match } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { onlyResource, synthesizeStack, templateOf } from '../synthesize.ts';

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

  it('grants other principals the right to read', () => {
    const template = synthesizeStack({}, (stack) => {
      const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
      stack.notifier.grantReadLargeEvents(new Role(stack, 'Reader', { assumedBy }));
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyName: Match.stringLikeRegexp('Reader'),
      PolicyDocument: {
        Statement: [Match.objectLike({ Action: 's3:GetObject', Effect: 'Allow' })],
      },
    });
  });
});
