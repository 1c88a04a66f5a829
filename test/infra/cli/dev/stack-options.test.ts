import { expect, it } from 'vitest';
import { addWebhooks } from '../../../../infra/cli/dev/stack-options.ts';

const HOOK = 'http://localhost:3000/hook';
const OURS = { name: 'ours', protocol: 'webhook', endpoint: 'https://hook.test' };
const QUEUE = { name: 'queue', protocol: 'sqs', endpoint: 'arn:aws:sqs:r:1:q', secretArn: 'kept' };

const webhook = (name: string, endpoint: string) => ({
  ...{ name, protocol: 'webhook', endpoint, allowPrivateAddress: true },
});

it.each<[string, object, readonly string[], object]>([
  ['adds nothing without a URL', { perPage: 3 }, [], { perPage: 3, subscribers: [] }],
  [
    'adds a webhook for each URL, and has attempts logged',
    { logLevel: 'ERROR' },
    [HOOK, 'https://a.test'],
    {
      logLevel: 'INFO',
      subscribers: [webhook('webhook-1', HOOK), webhook('webhook-2', 'https://a.test')],
    },
  ],
  [
    'keeps the debug level',
    { logLevel: 'DEBUG' },
    [HOOK],
    { logLevel: 'DEBUG', subscribers: [webhook('webhook-1', HOOK)] },
  ],
  [
    'adds no second webhook for a URL of the stage, whose own secret is elsewhere',
    { subscribers: [{ ...OURS, secretArn: 'arn' }, QUEUE] },
    ['https://hook.test/'],
    { logLevel: 'INFO', subscribers: [OURS, QUEUE] },
  ],
  ['leaves what is no list to synthesis', { subscribers: 3 }, [HOOK], { subscribers: 3 }],
])('%s', (_, config, urls, expected) => {
  expect(addWebhooks({ ...config }, urls)).toEqual(expected);
});
