import { describe, expect, it } from 'vitest';
import { SURROUNDINGS } from '../../../support/config-samples.ts';
import { idsOf, onlyResource, statementsOf, templateOf } from '../../synthesize.ts';

const SECRET = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:orders-AbCdEf';
const URL = 'https://hook.example/changes';
const webhook = {
  ...{ name: 'orders-api', protocol: 'webhook', endpoint: URL },
  filterPolicy: { entity: ['floorplan'] },
};
const template = templateOf({ subscribers: [webhook] });

const propertiesOf = (type: string, id: RegExp, from = template) =>
  onlyResource(from, type, id).properties;
const variablesOf = (from = template, id = /Webhook/) => {
  const { Environment } = propertiesOf('AWS::Lambda::Function', id, from) as {
    Environment: { Variables: Record<string, unknown> };
  };
  return Environment.Variables;
};
const settingsOf = (from = template): unknown =>
  JSON.parse(String(variablesOf(from)['SITECAST_WEBHOOK']));

describe('a webhook', () => {
  const queue = onlyResource(template, 'AWS::SQS::Queue', /EventsQueue/);
  const deadLetters = onlyResource(template, 'AWS::SQS::Queue', /EventsDeadLetters/);
  const subscriber = onlyResource(template, 'AWS::Lambda::Function', /Webhook/);

  it('has a queue of its own, with the events that its filter matches, as they are', () => {
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'sqs',
      Endpoint: { 'Fn::GetAtt': [queue.id, 'Arn'] },
      RawMessageDelivery: true,
      FilterPolicy: webhook.filterPolicy,
      FilterPolicyScope: 'MessageAttributes',
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [deadLetters.id, 'Arn'] } },
    });
    expect(queue.properties).toMatchObject({
      MessageRetentionPeriod: 14 * 24 * 3600,
      SqsManagedSseEnabled: true,
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': [deadLetters.id, 'Arn'] },
        maxReceiveCount: 1000,
      },
    });
  });

  it('has a function of its own that takes ten events at once, and says which it could not deliver', () => {
    expect(propertiesOf('AWS::Lambda::EventSourceMapping', /Mapping/)).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [queue.id, 'Arn'] },
      FunctionName: { Ref: subscriber.id },
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 5 },
    });
  });

  it('stays disabled over a deployment, since its mapping says nothing of it', () => {
    expect(propertiesOf('AWS::Lambda::EventSourceMapping', /Mapping/)).not.toHaveProperty(
      'Enabled',
    );
  });

  it('keeps an event invisible for longer than its function may take', () => {
    const { Timeout } = subscriber.properties as { Timeout: number };
    const { VisibilityTimeout } = queue.properties as { VisibilityTimeout: number };
    expect(VisibilityTimeout).toBeGreaterThanOrEqual(2 * Timeout);
  });

  it('tells its function what to deliver, and where', () => {
    expect(settingsOf()).toEqual({
      ...{ name: 'orders-api', url: URL },
      ...{ allowPrivateAddress: false, monitoring: 'basic' },
    });
    expect(variablesOf()).toMatchObject({
      SITECAST_WEBHOOK_QUEUE_URL: { Ref: queue.id },
      SITECAST_WEBHOOK_DEAD_LETTERS_URL: { Ref: deadLetters.id },
      SITECAST_WEBHOOK_SECRET_ARN: {
        Ref: onlyResource(template, 'AWS::SecretsManager::Secret', /Webhook/).id,
      },
      SITECAST_TABLE: { Ref: onlyResource(template, 'AWS::DynamoDB::Table').id },
      SITECAST_LARGE_EVENTS_BUCKET: { Ref: onlyResource(template, 'AWS::S3::Bucket').id },
      POWERTOOLS_SERVICE_NAME: 'sitecast-test',
      POWERTOOLS_METRICS_NAMESPACE: 'Sitecast',
    });
  });

  it('has a generated secret that Standard Webhooks can use, and that outlives the stack', () => {
    template.hasResource('AWS::SecretsManager::Secret', {
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: {
        GenerateSecretString: {
          SecretStringTemplate: '{"prefix":"whsec_"}',
          GenerateStringKey: 'key',
          ExcludePunctuation: true,
          PasswordLength: 32,
        },
      },
    });
    // Letters and digits are all of base64; four of them are three bytes.
    expect(Buffer.from('Aa0'.repeat(11).slice(0, 32), 'base64')).toHaveLength(24);
  });

  it('uses another secret, and other options, if the config says so', () => {
    const options = { maxConcurrency: 50, allowPrivateAddress: true };
    const other = templateOf({ subscribers: [{ ...webhook, ...options, secretArn: SECRET }] });
    expect(Object.keys(other.findResources('AWS::SecretsManager::Secret'))).toHaveLength(1);
    expect(variablesOf(other)['SITECAST_WEBHOOK_SECRET_ARN']).toBe(SECRET);
    expect(settingsOf(other)).toMatchObject({ allowPrivateAddress: true });
    expect(propertiesOf('AWS::Lambda::EventSourceMapping', /Mapping/, other)).toMatchObject({
      ScalingConfig: { MaximumConcurrency: 50 },
    });
    expect(
      statementsOf(other, 'AWS::IAM::Policy', /WebhookRole/).find(
        ({ Action }) => Action === 'secretsmanager:GetSecretValue',
      )?.Resource,
    ).toBe(SECRET);
  });

  it('is told to operators, who get no right to read its events or its secret', () => {
    expect(JSON.stringify(variablesOf(template, /Control/)['SITECAST_WEBHOOKS'])).toContain(
      String.raw`[{\"name\":\"orders-api\",\"url\":\"${URL}\",\"queueUrl\":`,
    );
    const statements = statementsOf(template, 'AWS::IAM::Policy', /ControlRole/);
    const onQueue = statements.filter(({ Resource }) =>
      JSON.stringify(Resource).includes(queue.id),
    );
    expect(onQueue.map(({ Action }) => Action)).toEqual([
      ['sqs:GetQueueAttributes', 'sqs:SendMessage'],
    ]);
    expect(JSON.stringify(statements)).not.toContain('secretsmanager');
    expect(variablesOf(templateOf(), /Control/)).not.toHaveProperty('SITECAST_WEBHOOKS');
  });

  it('has outputs for its operators', () => {
    expect(Object.keys(template.findOutputs('*'))).toEqual(
      expect.arrayContaining([
        'QueueUrlordersapi',
        'DeadLettersUrlordersapi',
        'WebhookSecretArnordersapi',
        'WebhookFunctionNameordersapi',
        'WebhookLogGroupNameordersapi',
      ]),
    );
  });

  it('runs in the network of the config, and encrypts with the own key', () => {
    const own = templateOf({ ...SURROUNDINGS, subscribers: [webhook] });
    const { vpc, kmsKeyArn } = SURROUNDINGS;
    expect(propertiesOf('AWS::Lambda::Function', /Webhook/, own)).toMatchObject({
      VpcConfig: { SubnetIds: vpc.subnetIds, SecurityGroupIds: vpc.securityGroupIds },
    });
    expect(variablesOf(own)).toMatchObject({ NODE_EXTRA_CA_CERTS: '/var/task/ca.pem' });
    expect(propertiesOf('AWS::SQS::Queue', /EventsQueue/, own)).toMatchObject({
      KmsMasterKeyId: kmsKeyArn,
    });
    expect(propertiesOf('AWS::SecretsManager::Secret', /Webhook/, own)).toMatchObject({
      KmsKeyId: kmsKeyArn,
    });
    expect(propertiesOf('AWS::Logs::LogGroup', /Webhook/, own)).toMatchObject({
      KmsKeyId: kmsKeyArn,
    });
  });

  it('leaves nothing with removalPolicy destroy', () => {
    const gone = templateOf({ removalPolicy: 'destroy', subscribers: [webhook] });
    const ids = idsOf(gone, 'ordersapi');
    for (const [id, resource] of Object.entries(gone.toJSON()['Resources'] as object)) {
      if (!id.startsWith(ids)) continue;
      const { DeletionPolicy = 'Delete' } = resource as { DeletionPolicy?: string };
      expect(DeletionPolicy, id).toBe('Delete');
    }
  });
});

it('a webhook of a FIFO topic has a standard queue, and FIFO dead letters of the subscription', () => {
  const of = templateOf({ topicType: 'fifo', subscribers: [webhook] });
  const isFifo = (id: RegExp) => propertiesOf('AWS::SQS::Queue', id, of)['FifoQueue'] === true;
  expect([isFifo(/EventsQueue/), isFifo(/EventsDeadLetters/)]).toEqual([false, false]);
  expect(isFifo(/EventsUndelivered/)).toBe(true);
  expect(of.findOutputs('*')).toHaveProperty('DeadLettersUrlordersapiundelivered');
});
