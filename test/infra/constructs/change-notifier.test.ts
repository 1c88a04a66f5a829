import { Match, type Template } from 'aws-cdk-lib/assertions';
import { AccountPrincipal } from 'aws-cdk-lib/aws-iam';
import { beforeAll, describe, expect, it } from 'vitest';
import { pollerConfig } from '../../../functions/settings/poller-config.ts';
import { parseSettings } from '../../../functions/settings/settings.ts';
import { ADDRESSES, makeTemplate } from '../synthesize.ts';

interface Statement {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

/** The template with defaults, and one with everything set. */
let template: Template;
let full: Template;

beforeAll(() => {
  template = makeTemplate();
  full = makeTemplate(EVERYTHING);
});

const EVERYTHING = {
  everyMinutes: 5,
  serviceVersion: '2021-03-29',
  withCurrentSheet: true,
  perPage: 100,
  requestsPerMinute: 60,
  lookbackSeconds: 30,
  baseline: 'emit',
  concurrency: 4,
  leaseSeconds: 45,
  additionalResources: [
    { name: 'checklists', entity: 'checklist', path: '/projects/{project_id}/checklists' },
  ],
  memoryMb: 1024,
  timeoutSeconds: 240,
  logRetentionDays: 7,
  logLevel: 'DEBUG',
  organisationId: 'o-a1b2c3d4e5',
  subscriberAccountIds: ['210987654321'],
  removalPolicy: 'destroy',
};

function idOf(type: string, path: RegExp): string {
  const found = Object.entries(template.findResources(type)).filter(([id]) => path.test(id));
  expect(found, `${type} ${String(path)}`).toHaveLength(1);
  return found[0]?.[0] ?? '';
}

function statementsOf(role: RegExp): Statement[] {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
  return policies
    .filter(([id]) => role.test(id))
    .flatMap(
      ([, policy]) =>
        (policy as { Properties: { PolicyDocument: { Statement: Statement[] } } }).Properties
          .PolicyDocument.Statement,
    );
}

function topicStatements(from: Template): Statement[] {
  const [policy] = Object.values(from.findResources('AWS::SNS::TopicPolicy'));
  return (policy as { Properties: { PolicyDocument: { Statement: Statement[] } } }).Properties
    .PolicyDocument.Statement;
}

describe('the table', () => {
  it('has string keys, is paid per request, encrypted, recoverable and protected', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
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
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: true,
      },
    });
  });

  it('goes with the stack when the config says so', () => {
    full.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: false },
    });
  });
});

describe('the topic', () => {
  it('is encrypted', () => {
    const [topic] = Object.values(template.findResources('AWS::SNS::Topic'));
    expect(JSON.stringify(topic?.['Properties'])).toContain(':alias/aws/sns');
  });

  it('refuses to be published to without TLS and to deliver without TLS', () => {
    expect(topicStatements(template)).toEqual(
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
          Principal: { AWS: '*' },
          Condition: { StringEquals: { 'sns:Protocol': 'http' } },
        }),
      ]),
    );
  });

  it('lets its own account subscribe and nobody else', () => {
    const allowed = topicStatements(template).filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toHaveLength(1);
    expect(allowed[0]).toMatchObject({ Action: 'sns:Subscribe' });
    const principal = JSON.stringify(allowed[0]?.Principal);
    expect(principal).toContain('{"Ref":"AWS::AccountId"},":root"');
    expect(principal).not.toContain('*');
  });

  it('lets the accounts and the organisation of the config subscribe', () => {
    const allowed = topicStatements(full).filter(({ Effect }) => Effect === 'Allow');
    expect(allowed.map(({ Action }) => Action)).toEqual(['sns:Subscribe', 'sns:Subscribe']);
    expect(JSON.stringify(allowed[0]?.Principal)).toContain('iam::210987654321:root');
    expect(allowed[1]).toMatchObject({
      Principal: { AWS: '*' },
      Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-a1b2c3d4e5' } },
    });
  });

  it('can be opened to another account by the construct', () => {
    const opened = makeTemplate({}, ({ notifier }) => {
      notifier.grantSubscribe(new AccountPrincipal('345678901234'));
    });
    const statements = topicStatements(opened);
    const granted = statements.filter((s) => JSON.stringify(s.Principal).includes('345678901234'));
    expect(granted).toEqual([
      expect.objectContaining({ Effect: 'Allow', Action: 'sns:Subscribe' }),
    ]);
  });
});

describe('the refresh token', () => {
  it('is a secret without a value, kept when the stack goes', () => {
    template.hasResource('AWS::SecretsManager::Secret', {
      DeletionPolicy: 'Retain',
      Properties: { SecretString: Match.absent(), GenerateSecretString: Match.absent() },
    });
  });

  it('is the only secret, and the poller is given its ARN and no value', () => {
    template.resourceCountIs('AWS::SecretsManager::Secret', 1);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          SITECAST_REFRESH_TOKEN_SECRET: { Ref: idOf('AWS::SecretsManager::Secret', /Refresh/) },
        },
      },
    });
    expect(JSON.stringify(template.toJSON())).not.toContain('{{resolve:secretsmanager');
  });
});

describe('the queues', () => {
  it('are encrypted and keep what is in them for 14 days', () => {
    template.resourceCountIs('AWS::SQS::Queue', 2);
    template.allResourcesProperties('AWS::SQS::Queue', {
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 24 * 3600,
    });
  });

  it.each([/Quarantine/, /Failures/])('%s refuses what comes without TLS', (name) => {
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      Queues: [{ Ref: idOf('AWS::SQS::Queue', name) }],
      PolicyDocument: {
        Statement: [
          Match.objectLike({
            Effect: 'Deny',
            Action: 'sqs:*',
            Principal: { AWS: '*' },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ],
      },
    });
  });

  it('stay, in the case of the quarantine, when the stack goes', () => {
    const queues = template.findResources('AWS::SQS::Queue', { DeletionPolicy: 'Retain' });
    expect(Object.keys(queues)).toEqual([idOf('AWS::SQS::Queue', /Quarantine/)]);
  });
});

describe('the poller', () => {
  it('runs alone, on Node 24 and arm64, with time and memory from the config', () => {
    const common = { Runtime: 'nodejs24.x', Architectures: ['arm64'] };
    template.hasResourceProperties('AWS::Lambda::Function', {
      ...common,
      Handler: 'index.handler',
      ReservedConcurrentExecutions: 1,
      Timeout: 55,
      MemorySize: 512,
    });
    full.hasResourceProperties('AWS::Lambda::Function', {
      ...common,
      Timeout: 240,
      MemorySize: 1024,
    });
  });

  it('is never retried; a run that failed goes to the failure queue', () => {
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: idOf('AWS::Lambda::Function', /Poller/) },
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
      DestinationConfig: {
        OnFailure: {
          Destination: { 'Fn::GetAtt': [idOf('AWS::SQS::Queue', /Failures/), 'Arn'] },
        },
      },
    });
  });

  it('logs to its own group, which forgets after the configured days', () => {
    template.resourceCountIs('AWS::Logs::LogGroup', 1);
    template.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
    full.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
    template.hasResourceProperties('AWS::Lambda::Function', {
      LoggingConfig: { LogGroup: { Ref: idOf('AWS::Logs::LogGroup', /Poller/) } },
    });
  });

  it('names itself after the stage in logs and metrics, and reads source maps', () => {
    full.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          NODE_OPTIONS: Match.stringLikeRegexp('^--enable-source-maps '),
          POWERTOOLS_SERVICE_NAME: 'sitecast-test',
          POWERTOOLS_METRICS_NAMESPACE: 'Sitecast',
          POWERTOOLS_LOG_LEVEL: 'DEBUG',
        },
      },
    });
  });

  it.each([
    [512, 4],
    [10_240, 16],
  ])('of %i MB gives the young part of its heap no more than 3 x %i MB', (memoryMb, each) => {
    makeTemplate({ memoryMb }).hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: { NODE_OPTIONS: Match.stringLikeRegexp(`--max-semi-space-size=${each}$`) },
      },
    });
  });

  it('may do exactly what its adapters do, on exactly its own resources', () => {
    const arn = (type: string, name: RegExp) => ({ 'Fn::GetAtt': [idOf(type, name), 'Arn'] });
    const ref = (type: string, name: RegExp) => ({ Ref: idOf(type, name) });
    const allowed = statementsOf(/PollerRole/).flatMap(({ Effect, Action, Resource }) => {
      expect(Effect).toBe('Allow');
      const resources: unknown[] = Array.isArray(Resource) ? Resource : [Resource];
      return resources.map((resource) => [[Action].flat(), resource]);
    });
    expect(allowed).toEqual([
      [['logs:CreateLogStream', 'logs:PutLogEvents'], arn('AWS::Logs::LogGroup', /Poller/)],
      [
        [
          'dynamodb:BatchGetItem',
          'dynamodb:BatchWriteItem',
          'dynamodb:DeleteItem',
          'dynamodb:PutItem',
          'dynamodb:Query',
          'dynamodb:UpdateItem',
        ],
        arn('AWS::DynamoDB::Table', /Table/),
      ],
      [['sns:Publish'], ref('AWS::SNS::Topic', /Topic/)],
      [
        ['s3:PutObject'],
        { 'Fn::Join': ['', [arn('AWS::S3::Bucket', /LargeEvents/), '/events/*']] },
      ],
      [['secretsmanager:GetSecretValue'], ref('AWS::SecretsManager::Secret', /Refresh/)],
      [['sqs:SendMessage'], arn('AWS::SQS::Queue', /Failures/)],
      [['sqs:SendMessage'], arn('AWS::SQS::Queue', /Quarantine/)],
    ]);
  });
});

describe('the schedule', () => {
  it('ticks as often as configured and never retries; lost ticks go to the failure queue', () => {
    const queue = { 'Fn::GetAtt': [idOf('AWS::SQS::Queue', /Failures/), 'Arn'] };
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: {
        Arn: { 'Fn::GetAtt': [idOf('AWS::Lambda::Function', /Poller/), 'Arn'] },
        RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
        DeadLetterConfig: { Arn: queue },
      },
    });
    full.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(5 minutes)',
    });
  });

  it('may start the poller and fill the failure queue, for this account only', () => {
    expect(statementsOf(/ScheduleRole/).map(({ Action, Resource }) => [Action, Resource])).toEqual([
      ['lambda:InvokeFunction', { 'Fn::GetAtt': [idOf('AWS::Lambda::Function', /Poller/), 'Arn'] }],
      ['sqs:SendMessage', { 'Fn::GetAtt': [idOf('AWS::SQS::Queue', /Failures/), 'Arn'] }],
    ]);
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          Match.objectLike({
            Principal: { Service: 'scheduler.amazonaws.com' },
            Condition: {
              StringEquals: Match.objectLike({ 'aws:SourceAccount': { Ref: 'AWS::AccountId' } }),
            },
          }),
        ],
      },
    });
  });
});

describe('the roles', () => {
  it('hold no wildcard but the names of large events, and no managed policy', () => {
    const policies = template.findResources('AWS::IAM::Policy');
    expect(Object.keys(policies)).toHaveLength(2);
    expect(JSON.stringify(policies).match(/[^"]*[*?][^"]*/g)).toEqual(['/events/*']);
    template.allResourcesProperties('AWS::IAM::Role', {
      ManagedPolicyArns: Match.absent(),
      Policies: Match.absent(),
    });
  });
});

describe('the environment of the poller', () => {
  /** The environment as Lambda would give it, with what a deployed stack's references become. */
  function environmentOf(from: Template): Record<string, string> {
    const [poller] = Object.values(from.findResources('AWS::Lambda::Function'));
    const { Variables } = (
      poller as { Properties: { Environment: { Variables: Record<string, unknown> } } }
    ).Properties.Environment;
    const deployed: Record<string, string> = {
      SITECAST_REFRESH_TOKEN_SECRET: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:s-1',
      SITECAST_TABLE: 'table',
      SITECAST_TOPIC_ARN: 'arn:aws:sns:eu-central-1:123456789012:topic',
      SITECAST_LARGE_EVENTS_BUCKET: 'large-events',
      SITECAST_QUARANTINE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/quarantine',
    };
    return Object.fromEntries(
      Object.entries(Variables).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : (deployed[name] ?? `nothing known for ${name}`),
      ]),
    );
  }

  it('carries the whole config of the poller', () => {
    expect(parseSettings(environmentOf(full))).toMatchObject({
      table: 'table',
      largeEventsBucket: 'large-events',
      ...pollerConfig.parse({ ...ADDRESSES, ...EVERYTHING }),
    });
  });
});

describe('the stack', () => {
  it('tells where topic, secret, table, bucket and queues are', () => {
    const outputs = template.findOutputs('*');
    expect(
      Object.fromEntries(Object.entries(outputs).map(([name, { Value }]) => [name, Value])),
    ).toEqual({
      TopicArn: { Ref: idOf('AWS::SNS::Topic', /Topic/) },
      RefreshTokenSecretArn: { Ref: idOf('AWS::SecretsManager::Secret', /Refresh/) },
      LargeEventsBucket: { Ref: idOf('AWS::S3::Bucket', /LargeEvents/) },
      TableName: { Ref: idOf('AWS::DynamoDB::Table', /Table/) },
      QuarantineUrl: { Ref: idOf('AWS::SQS::Queue', /Quarantine/) },
      FailuresUrl: { Ref: idOf('AWS::SQS::Queue', /Failures/) },
    });
  });
});
