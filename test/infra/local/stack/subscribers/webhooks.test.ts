import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { expect, it } from 'vitest';
import type { Provisioned } from '../../../../../infra/local/stack/provision.ts';
import {
  findWebhooks,
  holdBackWebhooks,
} from '../../../../../infra/local/stack/subscribers/webhooks.ts';
import { startClients } from '../../../../support/embedded.ts';

/** A stack with a webhook for each URL, and a mapping of another function. */
function stackOf(urls: Readonly<Record<string, string>>): Provisioned {
  const names = [...Object.keys(urls), 'other'];
  const environmentOf = (name: string): Record<string, string> => {
    if (name === 'other') return {};
    const SITECAST_WEBHOOK = JSON.stringify({ name, url: urls[name] });
    return { SITECAST_WEBHOOK, SITECAST_WEBHOOK_SECRET_ARN: `secret-of-${name}` };
  };
  return {
    functions: names.map((name) => ({ arn: name, environment: environmentOf(name) })),
    mappings: names.map((name) => ({ functionArn: name, queueUrl: `queue-of-${name}` })),
    standIns: [],
  } as unknown as Provisioned;
}

it('delivers on this machine and where it was asked to, and lets queues stand in for all else', () => {
  const urls = {
    ...{ mine: 'http://localhost:3000/hook', v6: 'https://[::1]/', asked: 'https://asked.test' },
    ...{ prod: 'https://prod.test/hook', near: 'https://asked.test/other' },
  };
  const { mappings, standIns } = holdBackWebhooks(stackOf(urls), ['https://ASKED.test/']);
  const delivering = mappings.map(({ functionArn }) => functionArn);
  expect(delivering).toEqual(['mine', 'v6', 'asked', 'other']);
  expect(standIns).toEqual([
    { protocol: 'webhook', endpoint: urls.prod, queueUrl: 'queue-of-prod', isRaw: true },
    { protocol: 'webhook', endpoint: urls.near, queueUrl: 'queue-of-near', isRaw: true },
  ]);
});

it('tells the secret of a webhook, generated or put as text', async () => {
  const clients = await startClients();
  const secrets = { generated: '{"prefix":"whsec_","key":"abc"}', put: 'whsec_def' };
  for (const [name, SecretString] of Object.entries(secrets)) {
    const create = new CreateSecretCommand({ Name: `secret-of-${name}`, SecretString });
    await clients.secretsManager.send(create);
  }
  const stack = stackOf({ generated: 'http://localhost/a', put: 'http://localhost/b' });
  expect(await findWebhooks(stack, clients)).toEqual([
    { name: 'generated', url: 'http://localhost/a', secret: 'whsec_abc' },
    { name: 'put', url: 'http://localhost/b', secret: 'whsec_def' },
  ]);
});
