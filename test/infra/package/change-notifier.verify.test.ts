import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, CfnOutput, NestedStack, Stack, Stage } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { EmailSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ChangeNotifier, type NotifierConfig } from '../../../infra/package/index.ts';
import { ADDRESSES } from '../../support/config-samples.ts';
import { onlyResource, templateOf } from '../synthesize.ts';

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
    const config = { ...ADDRESSES, kmsKeyArn: keyArn };
    const notifier = new ChangeNotifier(stack, 'Encrypted', { config });
    notifier.addSubscriber({ name: 'queue', protocol: 'sqs', endpoint });
    Template.fromStack(stack).hasResourceProperties('AWS::SNS::Subscription', {
      Endpoint: stack.resolve(endpoint) as unknown,
    });
  });

  it('refuses what belongs to the stack', () => {
    const { stack } = makeNotifier();
    const config = { ...ADDRESSES, region: 'x' } as never;
    expect(() => new ChangeNotifier(stack, 'Wrong', { config })).toThrow(
      /^The config of Shop\/Wrong is invalid:\n {2}config.region is set; .*env of the stack$/,
    );
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

describe('a subscriber that is added', () => {
  it('has a dead-letter queue and its alarm', () => {
    const { notifier } = makeNotifier();
    const before = notifier.alarms.length;
    const deadLetters = notifier.addSubscriber(ORDERS);
    expect(notifier.deadLetters.get('orders')).toBe(deadLetters);
    // And the alarm on dead-letter queues that cannot be written.
    expect(notifier.alarms.length).toBe(before + 2);
    notifier.addSubscriber({ ...ORDERS, name: 'other', endpoint: `${ORDERS.endpoint}other` });
    expect(notifier.alarms.length).toBe(before + 3);
  });

  it('is watched like those of the config: the same alarms, lines of the dashboard, and warnings', () => {
    const queue = { name: 'queue', protocol: 'sqs', endpoint: `${QUEUES}:changes` } as const;
    const filtered = {
      ...{ ...queue, name: 'filtered', endpoint: `${QUEUES}:filtered` },
      filterPolicy: { entity: ['floorplann'] },
    };
    const full = { monitoring: 'full' } as const;
    const given = [queue, WEBHOOK, ORDERS, filtered, BUS];
    const declared = makeNotifier({ ...full, subscribers: given }).stack;
    const added = makeNotifier({ ...full, subscribers: [queue, WEBHOOK] });
    for (const subscriber of [ORDERS, filtered, BUS]) added.notifier.addSubscriber(subscriber);
    const of = (stack: Stack) => {
      const template = Template.fromStack(stack);
      const alarms = template.findResources('AWS::CloudWatch::Alarm');
      const dashboards = template.findResources('AWS::CloudWatch::Dashboard');
      const warnings = Annotations.fromStack(stack).findWarning('*', Match.anyValue());
      // The order of the alarms in the dashboard is that of their making.
      const words = JSON.stringify(dashboards).split(/"Fn::GetAtt":|[[\],{}]/);
      const texts = warnings.map(({ entry }) => JSON.stringify(entry.data));
      return { alarms, words: words.sort(), texts: texts.sort() };
    };
    expect(of(added.stack)).toEqual(of(declared));
    const { words, texts } = of(added.stack);
    expect(words.join()).toContain('dead letters of filtered');
    expect(texts.join()).toContain('subscribers[3].filterPolicy');
  });

  it('may be a webhook: with its queue, secret and function, and operators told of it', () => {
    const { stack, notifier } = makeNotifier({ monitoring: 'full' });
    const deadLetters = notifier.addSubscriber(WEBHOOK);
    const webhook = notifier.webhooks.get('api');
    expect(webhook?.deadLetters).toBe(deadLetters);
    expect(webhook?.secret.secretArn).not.toBe(notifier.refreshToken.secretArn);
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::Lambda::EventSourceMapping', 1);
    const control = onlyResource(template, 'AWS::Lambda::Function', /Control/).properties;
    expect(JSON.stringify(control['Environment'])).toContain('SITECAST_WEBHOOKS');
    const { DashboardBody } = onlyResource(template, 'AWS::CloudWatch::Dashboard').properties;
    expect(JSON.stringify(DashboardBody)).toContain('delivered to api');
  });

  it('is subscribed once the topic may send to its dead letters', () => {
    const { stack, notifier } = makeNotifier();
    notifier.addSubscriber('queue', new SqsSubscription(new Queue(stack, 'Queue')));
    const [subscription] = Object.values(
      Template.fromStack(stack).findResources('AWS::SNS::Subscription'),
    );
    expect((subscription as { DependsOn: string[] }).DependsOn).toContainEqual(
      expect.stringMatching(/sqs.*DeadLettersPolicy/),
    );
  });

  it.each<[string, (notifier: ChangeNotifier, name: string, queue: Queue) => void]>([
    [
      'an entry',
      (notifier, name, { queueArn: endpoint }) => {
        notifier.addSubscriber({ name, protocol: 'sqs', endpoint });
      },
    ],
    [
      'a subscription of the CDK',
      (notifier, name, queue) => {
        notifier.addSubscriber(name, new SqsSubscription(queue));
      },
    ],
  ])('keeps its subscription and its dead letters when it is renamed, as %s', (_, add) => {
    const resourcesOf = (name: string) => {
      const { stack, notifier } = makeNotifier({ monitoring: 'off' });
      add(notifier, name, new Queue(stack, 'Queue'));
      return Template.fromStack(stack).toJSON() as unknown;
    };
    expect(resourcesOf('orders')).toEqual(resourcesOf('stock'));
  });

  it('keeps its subscription when the stack of its queue and the notifier moves in the tree', () => {
    const subscriptionsIn = (scope: Construct) => {
      const stack = new Stack(scope, 'Shop', { stackName: 'shop' });
      const notifier = new ChangeNotifier(stack, 'Changes', { config: ADDRESSES });
      const { queueArn: endpoint } = new Queue(stack, 'Queue');
      notifier.addSubscriber({ name: 'queue', protocol: 'sqs', endpoint });
      return Template.fromStack(stack).findResources('AWS::SNS::Subscription');
    };
    const moved = subscriptionsIn(new Stage(makeApp(), 'Prod'));
    expect(moved).toEqual(subscriptionsIn(makeApp()));
  });

  it('may be a queue with the logical id of a queue of another stack', () => {
    const { stack, notifier } = makeNotifier();
    const own = new Queue(stack, 'Queue');
    const other = new Queue(new Stack(stack.node.root, 'Other'), 'Queue');
    notifier.addSubscriber({ name: 'own', protocol: 'sqs', endpoint: own.queueArn });
    notifier.addSubscriber({ name: 'other', protocol: 'sqs', endpoint: other.queueArn });
    Template.fromStack(stack).resourceCountIs('AWS::SNS::Subscription', 2);
  });

  it('is subscribed before the schedule starts, unless its stack comes after this one', () => {
    const { stack, notifier } = makeNotifier();
    const other = new Stack(stack.node.root, 'Other');
    notifier.addSubscriber(ORDERS);
    notifier.addSubscriber('own', new SqsSubscription(new Queue(stack, 'Queue')));
    notifier.addSubscriber('other', new SqsSubscription(new Queue(other, 'Queue')));
    const template = Template.fromStack(stack);
    const ids = Object.keys(template.findResources('AWS::SNS::Subscription'));
    expect(ids).toHaveLength(2);
    template.hasResource('AWS::Scheduler::Schedule', {
      DependsOn: Match.arrayWith(ids.sort()),
    });
    Template.fromStack(other).resourceCountIs('AWS::SNS::Subscription', 1);
  });

  it('is refused if another one has its endpoint, in whatever way it was added', () => {
    const { stack, notifier } = makeNotifier({ subscribers: [ORDERS] });
    const queue = new Queue(stack, 'Queue');
    notifier.addSubscriber('queue', new SqsSubscription(queue));
    const reason = /another one has its endpoint; for two filters, use \$or/;
    const again = { name: 'again', protocol: 'sqs', endpoint: queue.queueArn } as const;
    expect(() => notifier.addSubscriber(again)).toThrow(reason);
    const orders = new SqsSubscription(Queue.fromQueueArn(stack, 'Orders', ORDERS.endpoint));
    expect(() => notifier.addSubscriber('again', orders)).toThrow(reason);
  });

  it('keeps the dead-letter queue that it has', () => {
    const { stack, notifier } = makeNotifier();
    const deadLetterQueue = new Queue(stack, 'Own');
    const subscription = new SqsSubscription(new Queue(stack, 'Queue'), { deadLetterQueue });
    expect(notifier.addSubscriber('queue', subscription)).toBe(deadLetterQueue);
  });

  it('is checked like those of the config, and together with them', () => {
    const { notifier } = makeNotifier({ subscribers: [ORDERS] });
    expect(() => notifier.addSubscriber({ ...ORDERS, endpoint: 'orders' })).toThrow(
      /^The config of Shop\/Changes .*\n {2}config.subscribers\[1\].endpoint is "orders".*\n.*name is/,
    );
    const fifo = makeNotifier({ topicType: 'fifo' }).notifier;
    const stream = { ...ORDERS, protocol: 'lambda' } as const;
    expect(() => fifo.addSubscriber(stream)).toThrow('config.subscribers[0].endpoint');
    expect(() => fifo.addSubscriber('mail', new EmailSubscription('a@b.example'))).toThrow(
      'The subscriber mail cannot be added: its protocol is "email"; this topic delivers to sqs.',
    );
  });

  it('is checked as a subscription of the CDK: its name, and whether its queue suits the topic', () => {
    const { stack, notifier } = makeNotifier({ subscribers: [ORDERS] });
    const queue = new SqsSubscription(new Queue(stack, 'Queue'));
    expect(() => notifier.addSubscriber('A b', queue)).toThrow(
      'The subscriber "A b" cannot be added: its name is not a name of at most 40 lower-case letters, digits and - that starts with a letter.',
    );
    expect(() => notifier.addSubscriber('orders', queue)).toThrow(
      'The subscriber orders cannot be added: another one has its name.',
    );
    notifier.addSubscriber('queue', queue);
    expect(() => notifier.addSubscriber({ ...WEBHOOK, name: 'queue' })).toThrow(
      'The subscriber queue cannot be added: another one has its name.',
    );
    const ordered = Queue.fromQueueArn(stack, 'Ordered', `${QUEUES}:changes.fifo`);
    for (const fifoQueue of [ordered, new Queue(stack, 'Own', { fifo: true })]) {
      expect(() => notifier.addSubscriber('ordered', new SqsSubscription(fifoQueue))).toThrow(
        'The subscriber ordered cannot be added: a standard topic does not deliver to FIFO queues; topicType "fifo" does.',
      );
    }
    const fifo = makeNotifier({ topicType: 'fifo' });
    for (const [name, any] of Object.entries({
      ordered: new Queue(fifo.stack, 'Ordered', { fifo: true }),
      queue: new Queue(fifo.stack, 'Queue'),
    })) {
      fifo.notifier.addSubscriber(name, new SqsSubscription(any));
    }
    expect([...fifo.notifier.deadLetters.keys()]).toEqual(['ordered', 'queue']);
  });
});

describe('outputs', () => {
  const subscribers = [ORDERS, WEBHOOK, BUS];
  const outputsOf = (stack: Stack) => Template.fromStack(stack).findOutputs('*');

  it('are those of a stage, on request only, also of subscribers that are added before or after', () => {
    const { stack, notifier } = makeNotifier();
    for (const subscriber of subscribers.slice(0, 1)) notifier.addSubscriber(subscriber);
    expect(outputsOf(makeNotifier().stack)).toEqual({});
    notifier.addOutputs();
    for (const subscriber of subscribers.slice(1)) notifier.addSubscriber(subscriber);
    const ofStage = templateOf({ subscribers }).findOutputs('*');
    const described = (outputs: Record<string, Record<string, unknown>>) =>
      Object.entries(outputs).map(([name, { Description }]) => [name, Description]);
    expect(Object.fromEntries(described(outputsOf(stack)))).toEqual(
      Object.fromEntries(described(ofStage)),
    );
  });

  it('stay if they are made twice, or the app has made them', () => {
    const { stack, notifier } = makeNotifier();
    new CfnOutput(stack, 'TopicArn', { value: notifier.topic.topicArn });
    notifier.addOutputs();
    notifier.addOutputs();
    expect(Object.keys(outputsOf(stack))).toEqual(Object.keys(templateOf().findOutputs('*')));
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
    const { stack, notifier } = makeNotifier({ monitoring: 'full' });
    expect(notifier.metric('EventsPublished')).toMatchObject({
      namespace: 'Sitecast',
      statistic: 'Sum',
      dimensions: { service: 'Shop/Changes' },
    });
    expect(notifier.metric('FeedsWaiting').statistic).toBe('Maximum');
    expect(notifier.metric('OldestFailureSeconds').statistic).toBe('Maximum');
    expect(notifier.metric('EventLagSeconds', { statistic: 'p95' }).statistic).toBe('p95');
    Annotations.fromStack(stack).hasNoWarning('*', Match.stringLikeRegexp('^The metric'));
  });

  it('warns if nothing writes it', () => {
    const { stack, notifier } = makeNotifier();
    notifier.metric('EventsPublished');
    Annotations.fromStack(stack).hasWarning(
      '/Shop/Changes',
      Match.stringLikeRegexp('EventsPublished has no values: config.monitoring is "basic"'),
    );
  });
});
