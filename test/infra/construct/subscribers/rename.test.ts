import { describe, expect, it } from 'vitest';
import { templateOf } from '../../synthesize.ts';

const ARN = 'eu-central-1:123456789012';
const SUBSCRIBERS = [
  { protocol: 'sqs', endpoint: `arn:aws:sqs:${ARN}:orders` },
  { protocol: 'lambda', endpoint: `arn:aws:lambda:${ARN}:function:orders` },
  {
    ...{ protocol: 'firehose', endpoint: `arn:aws:firehose:${ARN}:deliverystream/orders` },
    subscriptionRoleArn: 'arn:aws:iam::123456789012:role/firehose',
  },
  { protocol: 'webhook', endpoint: 'https://orders.builder.eu/' },
  { protocol: 'eventBridge', endpoint: `arn:aws:events:${ARN}:event-bus/orders` },
] as const;
const named = (name: string, index = 0) => ({ name, ...SUBSCRIBERS[index] });

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** All resources but the alarms, which are named after subscribers, by logical id. */
function resourcesOf(subscribers: readonly object[]): ReadonlyMap<string, Resource> {
  const { Resources } = templateOf({ subscribers }).toJSON() as {
    Resources: Record<string, Resource>;
  };
  return new Map(
    Object.entries(Resources).filter(([, { Type }]) => Type !== 'AWS::CloudWatch::Alarm'),
  );
}

const without = resourcesOf([]);

/** The logical ids of what subscribers add to the stack. */
const idsOf = (...subscribers: readonly object[]): ReadonlySet<string> =>
  new Set(resourcesOf(subscribers).keys()).difference(new Set(without.keys()));

describe.each(SUBSCRIBERS)('a subscriber by $protocol', (subscriber) => {
  const before = resourcesOf([{ name: 'orders', ...subscriber }]);
  const after = resourcesOf([{ name: 'stock', ...subscriber }]);

  it('keeps the logical ids of its resources when it is renamed', () => {
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect(after.size).toBeGreaterThan(without.size);
  });

  it('keeps its subscription and its queues as they are', () => {
    const isKept = ([, { Type }]: [string, Resource]) =>
      /^AWS::(SNS::Subscription|SQS::)/.test(Type);
    expect([...after].filter(isKept)).toEqual([...before].filter(isKept));
  });

  it('keeps its secret, whose value CloudFormation generates once', () => {
    const generatorsOf = (resources: ReadonlyMap<string, Resource>) =>
      [...resources].flatMap(([id, { Type, Properties }]) =>
        Type === 'AWS::SecretsManager::Secret' ? [[id, Properties['GenerateSecretString']]] : [],
      );
    expect(generatorsOf(after)).toEqual(generatorsOf(before));
  });
});

describe('the logical ids of a subscriber', () => {
  it.each([
    [named('a', 0), named('b', 1)],
    [named('a', 3), named('b', 4)],
    [named('a', 3), { ...named('b', 3), endpoint: 'https://stock.builder.eu/' }],
    [named('a', 0), { ...named('b', 0), endpoint: `arn:aws:sqs:${ARN}:stock` }],
  ])('are no ids of another one that is added or removed: %j, %j', (first, second) => {
    const [ofFirst, ofSecond] = [idsOf(first), idsOf(second)];
    expect(ofFirst.isDisjointFrom(ofSecond)).toBe(true);
    expect(ofFirst.union(ofSecond)).toEqual(new Set(idsOf(first, second)));
    expect(idsOf(second, first)).toEqual(new Set(idsOf(first, second)));
  });

  it('are no ids of one that takes over its name, also in the same deployment', () => {
    const [first, second] = [named('a', 0), named('b', 3)];
    const swapped = [
      { ...first, name: 'b' },
      { ...second, name: 'a' },
    ];
    expect(idsOf(...swapped)).toEqual(new Set(idsOf(first, second)));
    const taken = { ...named('a'), endpoint: `arn:aws:sqs:${ARN}:stock` };
    expect(idsOf(taken).isDisjointFrom(idsOf(first))).toBe(true);
  });

  it('do not hold what a URL may hold', () => {
    const ids = idsOf({ ...named('a', 3), endpoint: 'https://orders.builder.eu/s3cret' });
    expect([...ids].join()).not.toContain('s3cret');
  });
});
