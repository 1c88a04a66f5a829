import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FORMER, SURROUNDINGS } from '../support/config-samples.ts';
import { makeStack } from './synthesize.ts';

describe('cdk-nag', () => {
  const subscribers = [
    { name: 'queue', protocol: 'sqs', endpoint: 'arn:aws:sqs:eu-central-1:123456789012:q' },
    {
      name: 'function',
      protocol: 'lambda',
      endpoint: 'arn:aws:lambda:eu-central-1:123456789012:function:f',
    },
    {
      name: 'stream',
      protocol: 'firehose',
      endpoint: 'arn:aws:firehose:eu-central-1:123456789012:deliverystream/s',
      subscriptionRoleArn: 'arn:aws:iam::123456789012:role/r',
    },
  ];
  const own = [
    { name: 'orders', protocol: 'webhook', endpoint: 'https://orders.example/' },
    {
      name: 'bus',
      protocol: 'eventBridge',
      endpoint: 'arn:aws:events:eu-central-1:123456789012:event-bus/b',
    },
  ];
  it.each([
    {},
    { ...SURROUNDINGS, reconcile: { schedule: 'weekly' } },
    { removalPolicy: 'destroy', organisationId: 'o-a1b2c3d4e5', everyMinutes: 5, subscribers },
    { ...SURROUNDINGS, subscribers },
    { ...SURROUNDINGS, ...FORMER },
    { topicType: 'fifo', archiveDays: 7, subscriberAccountIds: ['210987654321'] },
    { monitoring: 'full', alarmEmail: 'operator@builder.eu', subscribers },
    { monitoring: 'off' },
    { monitoring: 'full', subscribers: own },
    { ...SURROUNDINGS, topicType: 'fifo', subscribers: own },
  ])('finds no violation in a stack with %j', (config) => {
    const { app, remove } = makeStack(config);
    onTestFinished(remove);
    expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
  });

  it('finds a queue that accepts messages without TLS', () => {
    const { app, stack, remove } = makeStack();
    onTestFinished(remove);
    new Queue(stack, 'QueueWithoutTls');
    const { violations } = new AwsSolutionsChecks(app).validateScope(app);
    expect(violations.map(({ ruleName }) => ruleName)).toContain('AwsSolutions-SQS4');
  });
});
