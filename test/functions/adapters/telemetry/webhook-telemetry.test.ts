import { expect, it } from 'vitest';
import { PowertoolsWebhookTelemetry } from '../../../../functions/adapters/telemetry/webhook-telemetry.ts';
import { captureOutput } from './capture-output.ts';

const output = captureOutput();
const context = {
  ...{ functionName: 'deliver', functionVersion: '1', invokedFunctionArn: 'arn' },
  ...{ awsRequestId: 'request', memoryLimitInMB: '512' },
};

it.each([
  [
    'full',
    ['WebhookAttempts', 'WebhookDeliverySeconds', 'WebhookDisabled', 'WebhookOldestSeconds'],
  ],
  ['basic', ['WebhookDisabled', 'WebhookOldestSeconds']],
  ['off', []],
] as const)('the metrics of a webhook with monitoring %s are these', (monitoring, names) => {
  const telemetry = new PowertoolsWebhookTelemetry();
  telemetry.start(context as never, 'orders', monitoring);
  telemetry.count('WebhookAttempts', 2);
  telemetry.count('WebhookDelivered', 0);
  telemetry.count('WebhookDisabled', 0);
  telemetry.count('WebhookOldestSeconds', 40);
  telemetry.observe('WebhookDeliverySeconds', 3);
  telemetry.flush();
  const written = output.entries().flatMap((entry) => {
    expect(entry).toMatchObject({ service: 'sitecast-test', Webhook: 'orders' });
    return Object.keys(entry).filter((key) => key.startsWith('Webhook') && key !== 'Webhook');
  });
  expect(written.sort()).toEqual(names);
});
