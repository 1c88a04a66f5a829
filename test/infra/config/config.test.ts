import { describe, expect, it } from 'vitest';
import { ConfigInvalidError, parseConfig } from '../../../infra/config/config.ts';
import { ADDRESSES, EVERYTHING, FORMER, SURROUNDINGS } from '../../support/config-samples.ts';

const QUEUE = {
  ...{ name: 'orders', protocol: 'sqs' },
  endpoint: 'arn:aws:sqs:eu-central-1:210987654321:orders.fifo',
};

function linesOf(notifier: unknown): string[] {
  try {
    parseConfig(notifier);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigInvalidError);
    return (error as Error).message.split('\n').slice(1);
  }
  throw new Error('the config was accepted');
}

describe('the notifier config', () => {
  it('requires only the two addresses', () => {
    expect(parseConfig({ dev: ADDRESSES })['dev']).toMatchObject({
      ...ADDRESSES,
      everyMinutes: 1,
      memoryMb: 512,
      topicType: 'standard',
      subscribers: [],
      removalPolicy: 'retain',
    });
  });

  it('keeps every field', () => {
    const everything = {
      ...ADDRESSES,
      account: '123456789012',
      region: 'eu-central-1',
      ...EVERYTHING,
      enabled: false,
      deletionProtection: false,
      ...SURROUNDINGS,
      ...FORMER,
      topicType: 'fifo',
      archiveDays: 30,
      subscribers: [
        {
          ...QUEUE,
          filterPolicy: { entity: ['floorplan'] },
          filterPolicyScope: 'MessageAttributes',
          rawMessageDelivery: true,
        },
      ],
    };
    expect(parseConfig({ prod: everything })).toEqual({ prod: everything });
  });

  it.each([
    [undefined, 'notifier is missing'],
    ['dev', 'notifier is "dev"'],
    [{}, 'notifier is {}; allowed: at least one stage'],
    [{ Dev: ADDRESSES }, 'notifier.Dev is not a valid name'],
    [{ dev: [] }, 'notifier.dev is []; allowed: the fields baseUrl, authUrl, everyMinutes'],
  ])('refuses %j', (notifier, problem) => {
    expect(linesOf(notifier)).toEqual([expect.stringContaining(problem)]);
  });

  it('reports all problems of all stages at once', () => {
    const lines = linesOf({
      dev: { baseUrl: 'nowhere', perPage: 0, timeoutSeconds: 60, colour: 'red' },
      prod: { ...ADDRESSES, removalPolicy: 'keep', subscribers: [{ ...QUEUE, name: 'A' }, 5] },
    });
    expect(lines.map((line) => /^ {2}notifier\.(\S+)/.exec(line)?.[1]).sort()).toEqual([
      'dev.authUrl',
      'dev.baseUrl',
      'dev.colour',
      'dev.perPage',
      'dev.timeoutSeconds',
      'prod.removalPolicy',
      'prod.subscribers[0].name',
      'prod.subscribers[1]',
    ]);
  });

  it.each([
    { everyMinutes: 0 },
    { topicType: 'FIFO', archiveDays: 30 },
    { topicType: 'fifo', subscribers: [QUEUE, { ...QUEUE, name: 'Other' }] },
    { subscribers: [{ ...QUEUE, filterPolicyScope: 'Body', filterPolicy: { data: {} } }] },
  ])('reports nothing that follows from another problem: %j', (fields) => {
    const lines = linesOf({ dev: { ...ADDRESSES, ...fields } });
    expect(lines.join()).not.toMatch(/missing|only a FIFO|filterPolicy\./);
    expect(new Set(lines).size).toBe(lines.length);
  });
});
