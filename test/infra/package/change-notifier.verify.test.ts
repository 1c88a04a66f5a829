import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, NestedStack, Stack, Stage } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ChangeNotifier, type NotifierConfig } from '../../../infra/package/index.ts';
import { ADDRESSES } from '../../support/config-samples.ts';
import { templateOf } from '../synthesize.ts';

const QUEUES = 'arn:aws:sqs:eu-central-1:210987654321';
const ORDERS = { name: 'orders', protocol: 'sqs', endpoint: `${QUEUES}:orders` } as const;
const WEBHOOK = { name: 'api', protocol: 'webhook', endpoint: 'https://api.builder.eu/' } as const;
const BUS = {
  ...({ name: 'bus', protocol: 'eventBridge' } as const),
  endpoint: 'arn:aws:events:eu-central-1:210987654321:event-bus/bus',
};

function makeApp(): App {
  const outdir = mkdtempSync(path.join(tmpdir(), 'sitecast-synth-'));
  onTestFinished(() => {
    rmSync(outdir, { recursive: true });
  });
  return new App({ outdir, context: { 'aws:cdk:bundling-stacks': [] } });
}

function makeNotifier(config: Partial<NotifierConfig> = {}) {
  const app = makeApp();
  const stack = new Stack(app, 'Shop');
  const notifier = new ChangeNotifier(stack, 'Changes', { config: { ...ADDRESSES, ...config } });
  return { app, stack, notifier };
}

describe('the construct for the apps of others', () => {
  it('takes ARNs that are known only at deployment', () => {
    const { stack } = makeNotifier();
    const { keyArn } = new Key(stack, 'Key');
    const endpoint = new Queue(stack, 'Queue').queueArn;
    const queue = { name: 'queue', protocol: 'sqs', endpoint } as const;
    const config = { ...ADDRESSES, kmsKeyArn: keyArn, subscribers: [queue] };
    new ChangeNotifier(stack, 'Encrypted', { config });
    Template.fromStack(stack).hasResourceProperties('AWS::SNS::Subscription', {
      Endpoint: stack.resolve(endpoint) as unknown,
    });
  });

  it('names a service name that no metric can have', () => {
    const { stack } = makeNotifier();
    const props = { config: ADDRESSES, serviceName: '' };
    expect(() => new ChangeNotifier(stack, 'Unnamed', props)).toThrow(
      'serviceName of Shop/Unnamed is ""; allowed: 1 to 255 ASCII characters',
    );
    expect(() => new ChangeNotifier(stack, 'Änderungen', { config: ADDRESSES })).toThrow(
      'serviceName of Shop/Änderungen is made of its path; allowed: 1 to 255 ASCII characters',
    );
  });

  it('has metrics of its own in each stack of one construct tree, stage and nested stack', () => {
    const { app } = makeNotifier();
    const nameIn = (scope: Construct) =>
      new ChangeNotifier(scope, 'Changes', { config: ADDRESSES }).serviceName;
    const nameInNested = (scope: Construct, id: string) => nameIn(new NestedStack(scope, id));
    const parent = new Stack(app, 'Parent');
    const shopOf = (stackName: string) => new Stack(makeApp(), 'Shop', { stackName });
    const names = [
      nameIn(shopOf('shop-main')),
      nameIn(shopOf('shop-branch')),
      nameIn(new Stack(new Stage(app, 'Prod'), 'Shop')),
      nameInNested(parent, 'One'),
      nameInNested(parent, 'Two'),
    ];
    expect(names).toEqual([
      'shop-main/Changes',
      'shop-branch/Changes',
      'Prod-Shop/Changes',
      'Parent/One/Changes',
      'Parent/Two/Changes',
    ]);
  });

  it('shows what it consists of', () => {
    const { notifier } = makeNotifier();
    const { functions, logGroups, alarms, deadLetters, alarmTopic } = notifier;
    expect([functions.length, logGroups.length, deadLetters.size]).toEqual([1, 1, 0]);
    expect(alarms.length).toBeGreaterThan(5);
    expect(alarmTopic).toBeDefined();
    const { topic, table, bucket, refreshToken } = notifier;
    const all = [topic, table, bucket, refreshToken];
    expect(new Set(all.map(({ node }) => node.path)).size).toBe(all.length);
    expect(makeNotifier({ monitoring: 'off' }).notifier.alarms).toEqual([]);
  });

  it('says what may become of the config, where it is used', () => {
    const { stack } = makeNotifier();
    const warning = Match.stringLikeRegexp('^config.baseUrl .* is a placeholder');
    Annotations.fromStack(stack).hasWarning('/Shop/Changes', warning);
  });
});

describe('a queue of the app that subscribes', () => {
  const subscribe = (stack: Stack, name: string, ...queues: Queue[]) => {
    const subscribers = queues.map(({ queueArn: endpoint }, index) => {
      return { name: `${name}${index}`, protocol: 'sqs', endpoint } as const;
    });
    const config = { ...ADDRESSES, monitoring: 'off', subscribers } as const;
    new ChangeNotifier(stack, 'Changes', { config });
    return Template.fromStack(stack);
  };

  it('keeps its subscription and its dead letters when it is renamed', () => {
    const resourcesOf = (name: string) => {
      const stack = new Stack(makeApp(), 'Shop');
      return subscribe(stack, name, new Queue(stack, 'Queue')).findResources('AWS::SQS::Queue');
    };
    expect(resourcesOf('orders')).toEqual(resourcesOf('stock'));
  });

  it('is subscribed before the schedule starts', () => {
    const stack = new Stack(makeApp(), 'Shop');
    const template = subscribe(stack, 'queue', new Queue(stack, 'Queue'));
    const ids = Object.keys(template.findResources('AWS::SNS::Subscription'));
    template.hasResource('AWS::Scheduler::Schedule', { DependsOn: Match.arrayWith(ids) });
  });
});

describe('outputs', () => {
  const subscribers = [ORDERS, WEBHOOK, BUS];
  const outputsOf = (stack: Stack) => Template.fromStack(stack).findOutputs('*');

  it('are those of a stage, on request only', () => {
    const { stack, notifier } = makeNotifier({ subscribers });
    expect(outputsOf(makeNotifier().stack)).toEqual({});
    notifier.addOutputs();
    const ofStage = templateOf({ subscribers }).findOutputs('*');
    expect(Object.keys(outputsOf(stack))).toEqual(Object.keys(ofStage));
  });

  it('of a second notifier in a stack are refused, with the name that is taken', () => {
    const { stack, notifier } = makeNotifier();
    notifier.addOutputs();
    const second = new ChangeNotifier(stack, 'Second', { config: ADDRESSES });
    expect(() => {
      second.addOutputs();
    }).toThrow("'TopicArn'");
  });
});

describe('a metric', () => {
  it('is read by its kind, from the pollers of this notifier', () => {
    const { notifier } = makeNotifier({ monitoring: 'full' });
    expect(notifier.metric('EventsPublished')).toMatchObject({
      namespace: 'Sitecast',
      statistic: 'Sum',
      dimensions: { service: 'Shop/Changes' },
    });
    expect(notifier.metric('FeedsWaiting').statistic).toBe('Maximum');
    expect(notifier.metric('OldestFailureSeconds').statistic).toBe('Maximum');
    expect(notifier.metric('EventLagSeconds', { statistic: 'p95' }).statistic).toBe('p95');
  });
});
