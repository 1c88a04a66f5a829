import { Match } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../support/config-samples.ts';
import { onlyResource, statementsOf, synthesizeStack, templateOf } from '../synthesize.ts';

describe('the bucket of large events', () => {
  it('is private and encrypted, expires events after 30 days, and outlives the stack', () => {
    for (const [template, retentionDays] of [
      [templateOf(), 400],
      [templateOf(EVERYTHING), 90],
    ] as const) {
      template.hasResource('AWS::S3::Bucket', {
        DeletionPolicy: 'RetainExceptOnCreate',
        Properties: {
          PublicAccessBlockConfiguration: {
            BlockPublicAcls: true,
            BlockPublicPolicy: true,
            IgnorePublicAcls: true,
            RestrictPublicBuckets: true,
          },
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
            ],
          },
          LifecycleConfiguration: {
            Rules: [
              { Prefix: 'events/', ExpirationInDays: 30, Status: 'Enabled', Id: 'Expire' },
              {
                ...{ Prefix: 'quarantine/', ExpirationInDays: retentionDays },
                ...{ Status: 'Enabled', Id: 'ExpireQuarantine' },
              },
              {
                AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
                Status: 'Enabled',
                Id: 'AbortUploads',
              },
            ],
          },
        },
      });
    }
  });

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

  const events = { 'Fn::Join': ['', [expect.anything(), '/events/*']] };

  it('refuses requests without TLS, and grants nothing else', () => {
    expect(statementsOf(templateOf(), 'AWS::S3::BucketPolicy')).toEqual([
      expect.objectContaining({
        Effect: 'Deny',
        Action: 's3:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    ]);
  });

  it('lets configured accounts and organisation read events only', () => {
    const statements = statementsOf(templateOf(EVERYTHING), 'AWS::S3::BucketPolicy');
    const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toMatchObject([
      { Sid: 'ReadFromAccounts', Action: 's3:GetObject', Resource: events },
      {
        Sid: 'ReadFromOrganisation',
        Action: 's3:GetObject',
        Resource: events,
        Principal: { AWS: '*' },
        Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-a1b2c3d4e5' } },
      },
    ]);
    expect(JSON.stringify(allowed[0]?.Principal)).toContain('iam::210987654321:root');
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
