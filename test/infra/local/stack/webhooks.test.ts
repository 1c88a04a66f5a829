import { expect, it } from 'vitest';
import type { Provisioned } from '../../../../infra/local/stack/provision.ts';
import { stubWebhooks } from '../../../../infra/local/stack/webhooks.ts';

/** A stack with a webhook for each URL, and a mapping of another function. */
function stackOf(urls: Readonly<Record<string, string>>): Provisioned {
  const names = [...Object.keys(urls), 'other'];
  const environmentOf = (name: string): Record<string, string> =>
    name === 'other' ? {} : { SITECAST_WEBHOOK: JSON.stringify({ name, url: urls[name] }) };
  return {
    functions: names.map((name) => ({ arn: name, environment: environmentOf(name) })),
    mappings: names.map((name) => ({ functionArn: name, queueUrl: `queue-of-${name}` })),
    stubQueues: [],
  } as unknown as Provisioned;
}

it('webhooks deliver on this machine and where they were asked to; others get stubs', () => {
  const urls = {
    ...{ mine: 'http://localhost:3000/hook', v6: 'https://[::1]/', asked: 'https://asked.test' },
    ...{ prod: 'https://prod.test/hook', near: 'https://asked.test/other' },
  };
  const { mappings, stubQueues } = stubWebhooks(stackOf(urls), ['https://ASKED.test/']);
  const delivering = mappings.map(({ functionArn }) => functionArn);
  expect(delivering).toEqual(['mine', 'v6', 'asked', 'other']);
  expect(stubQueues).toEqual([
    { protocol: 'webhook', endpoint: urls.prod, queueUrl: 'queue-of-prod' },
    { protocol: 'webhook', endpoint: urls.near, queueUrl: 'queue-of-near' },
  ]);
});
