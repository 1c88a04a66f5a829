import { Match } from 'aws-cdk-lib/assertions';
import { AccountPrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../support/config-samples.ts';
import { onlyResource, statementsOf, synthesizeStack, templateOf } from '../synthesize.ts';

const template = templateOf();
const full = templateOf(EVERYTHING);

/** The topic of the events, besides that of the alarms. */
const TOPIC = /NotifierTopic/;

const onlyId = (type: string, id: RegExp): string => onlyResource(template, type, id).id;

describe('the table', () => {
  it('has string keys, billing per request, encryption and recovery, and outlives the stack', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        SSESpecification: { SSEEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'z', Enabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: false,
      },
    });
  });

  it('is deleted with the stack, or protected from deletion, if configured', () => {
    full.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: true },
    });
  });
});

describe('the topic', () => {
  it('is encrypted with a key that SNS creates in an account that has none yet', () => {
    const { properties } = onlyResource(template, 'AWS::SNS::Topic', TOPIC);
    expect(properties['KmsMasterKeyId']).toBe('alias/aws/sns');
  });

  it('refuses publishing without TLS, and delivery to people or without TLS', () => {
    expect(statementsOf(template, 'AWS::SNS::TopicPolicy', TOPIC)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          Effect: 'Deny',
          Action: 'sns:Publish',
          Principal: '*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
        expect.objectContaining({
          Effect: 'Deny',
          Action: 'sns:Subscribe',
          Principal: '*',
          Condition: {
            StringNotEquals: { 'sns:Protocol': ['sqs', 'lambda', 'https', 'firehose'] },
          },
        }),
      ]),
    );
  });

  it('lets only the poller publish, whatever the policies of others allow', () => {
    const role = onlyId('AWS::IAM::Role', /PollerRole/);
    expect(statementsOf(template, 'AWS::SNS::TopicPolicy', TOPIC)).toContainEqual({
      Sid: 'OnlyThePollerPublishes',
      Effect: 'Deny',
      Action: 'sns:Publish',
      Principal: '*',
      Resource: { Ref: onlyId('AWS::SNS::Topic', TOPIC) },
      Condition: { ArnNotEquals: { 'aws:PrincipalArn': { 'Fn::GetAtt': [role, 'Arn'] } } },
    });
  });

  it('outlives the stack with its data', () => {
    template.hasResource('AWS::SNS::Topic', { DeletionPolicy: 'RetainExceptOnCreate' });
    full.hasResource('AWS::SNS::Topic', { DeletionPolicy: 'Delete' });
  });

  it('lets only its own account subscribe', () => {
    const allowed = statementsOf(template, 'AWS::SNS::TopicPolicy', TOPIC).filter(
      ({ Effect }) => Effect === 'Allow',
    );
    expect(allowed).toHaveLength(1);
    expect(allowed[0]).toMatchObject({ Action: 'sns:Subscribe' });
    const principal = JSON.stringify(allowed[0]?.Principal);
    expect(principal).toContain('{"Ref":"AWS::AccountId"},":root"');
    expect(principal).not.toContain('*');
  });

  it('lets the configured accounts and organisation subscribe', () => {
    const allowed = statementsOf(full, 'AWS::SNS::TopicPolicy', TOPIC).filter(
      ({ Effect }) => Effect === 'Allow',
    );
    expect(allowed.map(({ Action }) => Action)).toEqual(['sns:Subscribe', 'sns:Subscribe']);
    expect(JSON.stringify(allowed[0]?.Principal)).toContain('iam::210987654321:root');
    expect(allowed[1]).toMatchObject({
      Principal: { AWS: '*' },
      Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-a1b2c3d4e5' } },
    });
  });

  it('grants other principals the right to subscribe', () => {
    const opened = synthesizeStack({}, ({ notifier }) => {
      notifier.grantSubscribe(new AccountPrincipal('345678901234'));
    });
    const statements = statementsOf(opened, 'AWS::SNS::TopicPolicy', TOPIC);
    const granted = statements.filter((s) => JSON.stringify(s.Principal).includes('345678901234'));
    expect(granted).toEqual([
      expect.objectContaining({ Effect: 'Allow', Action: 'sns:Subscribe' }),
    ]);
  });

  it('is a standard topic that signs with SHA-256', () => {
    const { properties } = onlyResource(template, 'AWS::SNS::Topic', TOPIC);
    expect(properties).toEqual({
      KmsMasterKeyId: expect.anything() as unknown,
      SignatureVersion: '2',
    });
  });

  it('is a FIFO topic if configured, with deduplication by id and throughput per entity', () => {
    const { properties } = onlyResource(
      templateOf({ topicType: 'fifo' }),
      'AWS::SNS::Topic',
      TOPIC,
    );
    expect(properties).toMatchObject({
      FifoTopic: true,
      ContentBasedDeduplication: false,
      FifoThroughputScope: 'MessageGroup',
      SignatureVersion: '2',
    });
    // A retained topic must not block the name of the one of a new stack.
    expect(JSON.stringify(properties['TopicName'])).toMatch(/AWS::StackId.*\.fifo"/);
    expect(properties).not.toHaveProperty('ArchivePolicy');
  });

  it('has an archive if configured', () => {
    const fifo = templateOf({ topicType: 'fifo', archiveDays: 7 });
    expect(onlyResource(fifo, 'AWS::SNS::Topic', TOPIC).properties['ArchivePolicy']).toEqual({
      MessageRetentionPeriod: 7,
    });
  });
});

describe('the refresh token', () => {
  it('is a secret without a value that outlives the stack', () => {
    template.hasResource('AWS::SecretsManager::Secret', {
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { SecretString: Match.absent(), GenerateSecretString: Match.absent() },
    });
  });

  it('is the only secret, and the poller receives its ARN, not its value', () => {
    template.resourceCountIs('AWS::SecretsManager::Secret', 1);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          SITECAST_REFRESH_TOKEN_SECRET: { Ref: onlyId('AWS::SecretsManager::Secret', /Refresh/) },
        },
      },
    });
    expect(JSON.stringify(template.toJSON())).not.toContain('{{resolve:secretsmanager');
  });
});

describe('the policies of topic, bucket and queues', () => {
  it.each(['retain', 'destroy'])('stay and go with what they protect: %s', (removalPolicy) => {
    const subscribers = [
      { name: 'api', protocol: 'webhook', endpoint: 'https://api.builder.eu' },
      { name: 'q', protocol: 'sqs', endpoint: 'arn:aws:sqs:eu-central-1:210987654321:q' },
    ];
    const { Resources } = templateOf({ removalPolicy, subscribers }).toJSON() as {
      Resources: Readonly<Record<string, DeletedResource>>;
    };
    const policies = Object.values(Resources).flatMap(({ Properties = {}, ...policy }) => {
      const { Bucket, Queues = [Bucket], Topics = Queues } = Properties;
      return Topics.flatMap((target) => (target ? [{ ...policy, target: target.Ref }] : []));
    });
    const kinds = new Set(policies.map(({ Type }) => Type));
    expect([...kinds].sort()).toEqual(
      ['S3::Bucket', 'SNS::Topic', 'SQS::Queue'].map((type) => `AWS::${type}Policy`),
    );
    for (const { DeletionPolicy = 'Delete', target } of policies) {
      expect(DeletionPolicy, target).toBe(Resources[target]?.DeletionPolicy ?? 'Delete');
    }
  });
});

interface DeletedResource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties?: {
    readonly Bucket?: { readonly Ref: string };
    readonly Queues?: readonly { readonly Ref: string }[];
    readonly Topics?: readonly { readonly Ref: string }[];
  };
}
