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
import { Control } from './control.ts';
import { LargeEvents } from './large-events.ts';
import type { Watched } from './monitoring/alarms.ts';
import { Metrics } from './monitoring/metrics.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { checkConfig, checkName, type NotifierConfig } from './notifier-config.ts';
import { addOutputs } from './outputs.ts';
import { OwnKey, removalPolicyOf } from './permissions.ts';
import { Poller } from './poller.ts';
import type { MetricReading, WebhookResources } from './public-types.ts';
import { allowOnlyToPublish, makeTopic, useRefreshToken, useTable } from './resources.ts';
import { Subscribers } from './subscribers/subscribers.ts';

export interface ChangeNotifierProps {
  /**
   * The config of a stage. docs/configuration.md lists the fields.
   *
   * @throws ConfigInvalidError listing every wrong field, its value, and the allowed values.
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
  readonly #parts: Watched;
  readonly #monitoring: Monitoring | undefined;

  constructor(scope: Construct, id: string, props: ChangeNotifierProps) {
    super(scope, id);
    this.serviceName = checkName(this, props.serviceName);
    const config = checkConfig(this, props.config);
    for (const { id: kind, message } of configWarnings(config)) {
      Annotations.of(this).addWarningV2(`sitecast:${kind}`, `config.${message}`);
    }
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
    const refreshTokenArn = this.refreshToken.secretArn;
    const poller = new Poller(this, 'Poller', { ...parts, refreshTokenArn });
    allowOnlyToPublish(topic, poller.role);
    const subscribers = new Subscribers(this, 'Subscribers', parts);
    const webhooks = [...subscribers.webhooks.values()];
    const control = new Control(this, 'Control', { ...parts, webhooks });
    // A schedule starts at once, and later subscribers miss its events.
    for (const each of this.node.findAll()) {
      if (each instanceof CfnSchedule) each.node.addDependency(subscribers.subscriptions);
    }
    const metrics = new Metrics(this.serviceName);
    this.#parts = { ...parts, metrics, poller, control, subscribers };
    this.#monitoring =
      config.monitoring === 'off' ? undefined : new Monitoring(this, 'Monitoring', this.#parts);
  }

  /** Dead-letter queues by the subscriber's name. */
  get deadLetters(): ReadonlyMap<string, sqs.IQueue> {
    return this.#parts.subscribers.deadLetters;
  }

  /** The resources of webhooks, by their names. */
  get webhooks(): ReadonlyMap<string, WebhookResources> {
    return this.#parts.subscribers.webhooks;
  }

  /** The functions that poll. */
  get functions(): readonly lambda.IFunction[] {
    return this.#parts.poller.functions;
  }

  /** Answers operators. The command line finds it by an output: see {@link addOutputs}. */
  get controlFunction(): lambda.IFunction {
    return this.#parts.control.function;
  }

  /** The logs of {@link functions}. */
  get logGroups(): readonly logs.ILogGroup[] {
    return [this.#parts.poller.logGroup];
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
   * Gives the stack the outputs that a stage of cdk.json has, which the command line reads. One
   * notifier of a stack can have them.
   *
   * @throws Error if the stack has another construct with the name of an output.
   */
  addOutputs(): void {
    addOutputs(Stack.of(this), {
      ...this.#parts,
      refreshToken: this.refreshToken,
      monitoring: this.#monitoring,
    });
  }

  /**
   * A metric of the pollers. docs/runbook.md describes each. `monitoring` says which of them are
   * written.
   */
  metric(name: MetricName, reading: MetricReading = {}): cloudwatch.Metric {
    return this.#parts.metrics.read(name, reading);
  }
}
