import { Annotations, Stack } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as logs from 'aws-cdk-lib/aws-logs';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Metric as MetricName } from '../../functions/core/ports/metrics.ts';
import { configWarnings } from '../config/config-warnings.ts';
import { parseStage, type StageConfig } from '../config/config.ts';
import { Control } from './control.ts';
import { LargeEvents } from './large-events.ts';
import type { Parts } from './make-function.ts';
import { Metrics, warnOfUnwritten } from './monitoring/metrics.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import {
  checkConfig,
  checkName,
  type NotifierConfig,
  type SubscriberConfig,
} from './notifier-config.ts';
import { addOutputs } from './outputs.ts';
import { OwnKey, removalPolicyOf } from './permissions.ts';
import { Poller } from './poller.ts';
import type { MetricReading, WebhookResources } from './public-types.ts';
import { allowOnlyToPublish, makeTopic, useRefreshToken, useTable } from './resources.ts';
import { Subscribers } from './subscribers/subscribers.ts';

export interface ChangeNotifierProps {
  /**
   * What to poll, and how. docs/configuration.md lists the fields.
   *
   * @throws ConfigInvalidError listing every wrong field, its value, and what is allowed.
   */
  readonly config: NotifierConfig;
  /**
   * Name in logs, and the dimension `service` of the metrics: 1 to 255 ASCII characters. Default:
   * the stack's name and the construct's path in the stack, `Shop/Changes`. No two notifiers of an
   * account and region may share it: the runs of one would keep the alarm of the other silent.
   */
  readonly serviceName?: string;
}

/**
 * Polls the Construction Project Service API v3 on a schedule, and publishes every change to a
 * topic:
 *
 * ```
 * schedule → poller → topic → subscribers
 *             │└─────→ large events  claim checks
 *             └──────↔ table         feeds, entity states, leases, quarantine
 *
 * topic → queue → deliver → webhook  one of each for a webhook
 * topic → queue → pipe → event bus
 *
 * operators → control → table        commands, which the poller carries out
 * ```
 *
 * Put the refresh token into the secret after the first deployment: see {@link refreshToken}.
 */
export class ChangeNotifier extends Construct {
  /** Name in logs, and the dimension `service` of the metrics. */
  readonly serviceName: string;
  /** Receives every change as a CloudEvent. */
  readonly topic: sns.ITopic;
  /** Feeds, entity states and leases. */
  readonly table: dynamodb.ITable;
  /** Holds the refresh token of the service. It is created without a value. */
  readonly refreshToken: secretsmanager.ISecret;
  /** Holds events that are too large for the topic, and large quarantined values. */
  readonly bucket: s3.IBucket;
  readonly #parts: Parts;
  readonly #poller: Poller;
  readonly #control: Control;
  readonly #subscribers: Subscribers;
  readonly #monitoring: Monitoring | undefined;
  readonly #metrics: Metrics;
  readonly #added: SubscriberConfig[] = [];
  readonly #warned = new Set<string>();
  #hasOutputs = false;

  constructor(scope: Construct, id: string, props: ChangeNotifierProps) {
    super(scope, id);
    this.serviceName = checkName(this, props.serviceName);
    const config = checkConfig(this, props.config);
    this.#warn(config);
    const { kmsKeyArn } = config;
    const key = kmsKeyArn === undefined ? undefined : new OwnKey(this, 'Key', kmsKeyArn);
    const basis = {
      serviceName: this.serviceName,
      config,
      removalPolicy: removalPolicyOf(config),
      key,
    };
    this.table = useTable(this, basis);
    const topic = makeTopic(this, basis);
    this.topic = topic;
    const largeEvents = new LargeEvents(this, 'LargeEvents', basis);
    this.bucket = largeEvents.bucket as s3.IBucket;
    this.refreshToken = useRefreshToken(this, basis);
    const parts = { ...basis, table: this.table, topic, largeEvents };
    this.#parts = parts;
    const refreshTokenArn = this.refreshToken.secretArn;
    this.#poller = new Poller(this, 'Poller', { ...parts, refreshTokenArn });
    const control = new Control(this, 'Control', parts);
    this.#control = control;
    allowOnlyToPublish(topic, this.#poller.role);
    this.#subscribers = new Subscribers(this, 'Subscribers', { ...parts, control });
    // A schedule starts at once, and who is not subscribed yet misses what is published.
    for (const each of this.node.findAll()) {
      if (each instanceof CfnSchedule) each.node.addDependency(this.#subscribers.subscriptions);
    }
    this.#metrics = new Metrics(this.serviceName);
    const watched = {
      ...parts,
      metrics: this.#metrics,
      poller: this.#poller,
      control,
      subscribers: this.#subscribers,
    };
    this.#monitoring =
      config.monitoring === 'off' ? undefined : new Monitoring(this, 'Monitoring', watched);
  }

  /** Dead-letter queues by the subscriber's name. */
  get deadLetters(): ReadonlyMap<string, sqs.IQueue> {
    return this.#subscribers.deadLetters;
  }

  /** What delivers to the webhooks, by their names. */
  get webhooks(): ReadonlyMap<string, WebhookResources> {
    return this.#subscribers.webhooks;
  }

  /** The functions that poll. */
  get functions(): readonly lambda.IFunction[] {
    return this.#poller.functions;
  }

  /** Answers operators. The command line finds it by an output: see {@link addOutputs}. */
  get controlFunction(): lambda.IFunction {
    return this.#control.function;
  }

  /** The logs of {@link functions}. */
  get logGroups(): readonly logs.ILogGroup[] {
    return [this.#poller.logGroup];
  }

  /** Where alarms are sent. Absent if `monitoring` is `off`. */
  get alarmTopic(): sns.ITopic | undefined {
    return this.#monitoring?.alarmTopic;
  }

  /** Those of `monitoring`. */
  get alarms(): readonly cloudwatch.IAlarm[] {
    return this.#monitoring?.alarms ?? [];
  }

  /** Lets a principal subscribe to the topic, also from another account. */
  grantSubscribe(grantee: iam.IGrantable): iam.Grant {
    return this.topic.grantSubscribe(grantee);
  }

  /** Lets a principal read events that are too large for the topic. */
  grantReadLargeEvents(grantee: iam.IGrantable): iam.Grant {
    return this.#parts.largeEvents.grantRead(grantee);
  }

  /**
   * Adds a subscriber like those of `config.subscribers`, with a dead-letter queue and its alarm.
   *
   * @returns the dead-letter queue.
   * @throws ConfigInvalidError listing every wrong field.
   */
  addSubscriber(subscriber: SubscriberConfig): sqs.IQueue;
  /**
   * Adds a subscription of the CDK, with a dead-letter queue and its alarm.
   *
   * @param name names the dead-letter queue and its alarm.
   * @param subscription for instance a `SqsSubscription` of aws-cdk-lib/aws-sns-subscriptions,
   *   which also lets the topic send to its queue.
   * @throws Error if the name is invalid or taken, or the topic cannot deliver to it.
   */
  addSubscriber(name: string, subscription: sns.ITopicSubscription): sqs.IQueue;
  addSubscriber(
    first: SubscriberConfig | string,
    subscription?: sns.ITopicSubscription,
  ): sqs.IQueue {
    const queue =
      typeof first === 'string' && subscription !== undefined
        ? this.#subscribers.addSubscription(first, subscription)
        : this.#subscribers.add(this.#checkSubscriber(first as SubscriberConfig));
    this.#monitoring?.addSubscribers();
    if (this.#hasOutputs) this.addOutputs();
    return queue;
  }

  /**
   * Gives the stack the outputs that a stage of cdk.json has, which the command line reads.
   * Subscribers that are added later get theirs, too. One notifier of a stack can have them.
   *
   * @throws Error if the stack has another construct with the name of an output.
   */
  addOutputs(): void {
    this.#hasOutputs = true;
    addOutputs(Stack.of(this), {
      ...this.#parts,
      refreshToken: this.refreshToken,
      poller: this.#poller,
      control: this.#control,
      subscribers: this.#subscribers,
      monitoring: this.#monitoring,
    });
  }

  /** A metric of the pollers. docs/runbook.md says what each means. */
  metric(name: MetricName, reading: MetricReading = {}): cloudwatch.Metric {
    warnOfUnwritten(this, name, this.#parts.config.monitoring);
    return this.#metrics.read(name, reading);
  }

  /** The whole config is checked again: subscribers depend on the topic, and on each other. */
  #checkSubscriber(subscriber: SubscriberConfig): StageConfig['subscribers'][number] {
    const { config } = this.#parts;
    const subscribers = [...config.subscribers, ...this.#added, subscriber];
    const owner = `${this.node.path} with the added subscriber`;
    const checked = parseStage({ ...config, subscribers }, owner);
    this.#added.push(subscriber);
    this.#warn(checked);
    const added = checked.subscribers.at(-1);
    if (added === undefined) throw new Error('The subscriber is missing.');
    return added;
  }

  /** Warns of what is valid and cannot work, of each once. */
  #warn(config: StageConfig): void {
    const today = new Date().toISOString().slice(0, 10);
    for (const { id, message } of configWarnings(config, today)) {
      if (this.#warned.has(message)) continue;
      this.#warned.add(message);
      Annotations.of(this).addWarningV2(`sitecast:${id}`, `config.${message}`);
    }
  }
}
