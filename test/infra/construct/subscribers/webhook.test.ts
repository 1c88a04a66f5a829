import { describe, expect, it } from 'vitest';
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
  const subscriber = onlyResource(template, 'AWS::Lambda::Function', /Webhook/);

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

  it('is shown to operators, who get no right to read its events or its secret', () => {
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
