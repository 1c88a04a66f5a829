import { Match } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { FORMER, SURROUNDINGS } from '../../support/config-samples.ts';
import { onlyResource, statementsOf, synthesizeStack, templateOf } from '../synthesize.ts';

const plain = templateOf();
const { kmsKeyArn, vpc, environment } = SURROUNDINGS;
const SUBSCRIBER = {
  name: 'q',
  protocol: 'sqs',
  endpoint: 'arn:aws:sqs:eu-central-1:123456789012:q',
};
const full = templateOf({ ...SURROUNDINGS, subscribers: [SUBSCRIBER] });
const ownKey = templateOf({ kmsKeyArn, subscribers: [SUBSCRIBER] });

const via = (...services: string[]) => ({
  StringEquals: {
    'kms:ViaService': services.map((service) => ({
      'Fn::Join': [
        '',
        [`${service}.`, { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }],
      ] as unknown,
    })),
  },
});

describe('a stage that is not enabled', () => {
  it('has a schedule that starts nothing, and is the same otherwise', () => {
    // An alarm of a stage that is switched off is silent: see the tests of the alarms.
    const monitoring = 'off';
    const disabled = templateOf({ monitoring, enabled: false }).toJSON() as Resources;
    const unwatched = templateOf({ monitoring });
    const enabled = unwatched.toJSON() as Resources;
    const { id } = onlyResource(unwatched, 'AWS::Scheduler::Schedule');
    expect(disabled.Resources[id]?.Properties['State']).toBe('DISABLED');
    expect(enabled.Resources[id]?.Properties['State']).toBe('ENABLED');
    const { State, ...rest } = enabled.Resources[id]?.Properties ?? {};
    expect(disabled.Resources[id]?.Properties).toEqual({ ...rest, State: 'DISABLED' });
    expect({ ...disabled.Resources, [id]: 0 }).toEqual({ ...enabled.Resources, [id]: 0 });
  });
});

describe('an own key', () => {
  it('encrypts topic, table, queues, bucket, secret and logs', () => {
    const keyOf = (type: string, property: string, id?: RegExp): unknown =>
      onlyResource(ownKey, type, id).properties[property];
    expect(keyOf('AWS::SNS::Topic', 'KmsMasterKeyId', /NotifierTopic/)).toBe(kmsKeyArn);
    expect(keyOf('AWS::DynamoDB::Table', 'SSESpecification')).toEqual({
      KMSMasterKeyId: kmsKeyArn,
      SSEEnabled: true,
      SSEType: 'KMS',
    });
    for (const queue of [/DeadLetters/]) {
      expect(keyOf('AWS::SQS::Queue', 'KmsMasterKeyId', queue)).toBe(kmsKeyArn);
    }
    ownKey.hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: { KMSMasterKeyID: kmsKeyArn, SSEAlgorithm: 'aws:kms' },
          },
        ],
      },
    });
    expect(keyOf('AWS::SecretsManager::Secret', 'KmsKeyId')).toBe(kmsKeyArn);
    for (const logs of [/Poller/, /Control/]) {
      expect(keyOf('AWS::Logs::LogGroup', 'KmsKeyId', logs)).toBe(kmsKeyArn);
    }
  });

  it('may be used by the roles in calls of those services, and no other way', () => {
    const ofKey = (id: RegExp) =>
      statementsOf(ownKey, 'AWS::IAM::Policy', id).filter(({ Resource }) => Resource === kmsKeyArn);
    const data = ['kms:Decrypt', 'kms:GenerateDataKey'];
    const others = ['kms:DescribeKey', 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'];
    const table = [...data, ...others].sort();
    const allow = { Effect: 'Allow', Resource: kmsKeyArn };
    expect(ofKey(/PollerRole/)).toEqual([
      { ...allow, Action: table, Condition: via('dynamodb') },
      { ...allow, Action: data, Condition: via('s3', 'secretsmanager', 'sns') },
    ]);
    expect(ofKey(/ScheduleRole/)).toEqual([]);
  });

  it('may decrypt large events for whoever may read them', () => {
    const template = synthesizeStack({ kmsKeyArn }, ({ notifier }) => {
      const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
      notifier.grantReadLargeEvents(new Role(notifier, 'Reader', { assumedBy }));
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          { Effect: 'Allow', Action: 'kms:Decrypt', Resource: kmsKeyArn },
        ]),
      },
    });
    expect(() =>
      synthesizeStack({ kmsKeyArn }, ({ notifier }) => {
        notifier.grantReadLargeEvents(new AccountPrincipal('210987654321'));
      }),
    ).not.toThrow();
  });
});

describe('an account with rules', () => {
  it('gets the poller into its subnets, with the rights that Lambda needs for that', () => {
    full.hasResourceProperties('AWS::Lambda::Function', {
      VpcConfig: { SubnetIds: vpc.subnetIds, SecurityGroupIds: vpc.securityGroupIds },
    });
    expect(statementsOf(full, 'AWS::IAM::Policy', /PollerRole/)).toContainEqual({
      Effect: 'Allow',
      Resource: '*',
      Action: [
        'ec2:AssignPrivateIpAddresses',
        'ec2:CreateNetworkInterface',
        'ec2:DeleteNetworkInterface',
        'ec2:DescribeNetworkInterfaces',
        'ec2:DescribeSubnets',
        'ec2:UnassignPrivateIpAddresses',
      ],
    });
    expect(JSON.stringify(statementsOf(plain, 'AWS::IAM::Policy'))).not.toContain('ec2:');
  });

  it('gets its variables, and its certificates by one that Node reads', () => {
    full.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          ...environment,
          NODE_EXTRA_CA_CERTS: '/var/task/ca.pem',
        }),
      },
    });
  });
});

describe('a table and a secret of a former stack', () => {
  const template = templateOf(FORMER);

  it('are used, and not made', () => {
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
    template.resourceCountIs('AWS::SecretsManager::Secret', 0);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          SITECAST_TABLE: 'old-table',
          SITECAST_REFRESH_TOKEN_SECRET: FORMER.existingSecretArn,
        }),
      },
    });
    expect(template.toJSON()).toMatchObject({
      Outputs: {
        TableName: { Value: 'old-table' },
        RefreshTokenSecretArn: { Value: FORMER.existingSecretArn },
      },
    });
  });

  it('are what the role may use', () => {
    const statements = statementsOf(template, 'AWS::IAM::Policy', /PollerRole/);
    const resources = statements.map(({ Resource }) => Resource);
    expect(resources).toContain(FORMER.existingTableArn);
    expect(resources).toContain(FORMER.existingSecretArn);
  });
});

interface Resource {
  readonly Properties: Readonly<Record<string, unknown>>;
}

interface Resources {
  readonly Resources: Readonly<Record<string, Resource>>;
}
