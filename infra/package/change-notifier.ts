import { Annotations, Stack, Token } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as logs from 'aws-cdk-lib/aws-logs';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ConfigInvalidError } from '../config/config-invalid-error.ts';
import { configWarnings } from '../config/config-warnings.ts';
import { parseStage, type StageConfig } from '../config/config.ts';
import { addOutputs } from '../construct/add-outputs.ts';
import { ChangeNotifier as Resources } from '../construct/change-notifier.ts';
import type { NotifierConfig, StackField, SubscriberConfig } from './notifier-config.ts';
import { metricOf, type MetricName, type MetricReading } from './notifier-metrics.ts';
import type { WebhookResources } from './webhook-resources.ts';

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

/** Fields of a stage in cdk.json that an app says otherwise. */
const STACK_FIELDS: Readonly<Record<StackField, string>> = {
  account: 'env of the stack',
  region: 'env of the stack',
};

/**
 * Polls the Construction Project Service API v3 on a schedule, and publishes every change to a topic.
 *
 * Put the refresh token into the secret after the first deployment: see {@link refreshToken}.
 */
export class ChangeNotifier extends Construct {
  /** Name in logs, and the dimension `service` of the metrics. */
  readonly serviceName: string;
  readonly #config: StageConfig;
  readonly #resources: Resources;
  readonly #added: SubscriberConfig[] = [];
  readonly #warned = new Set<string>();
  readonly #secret: secretsmanager.ISecret;
  readonly #webhooks = new Map<string, WebhookResources>();
  #hasOutputs = false;

  constructor(scope: Construct, id: string, props: ChangeNotifierProps) {
    super(scope, id);
    // JavaScript may leave out both. The check says which fields are missing.
    const given = props as Partial<ChangeNotifierProps> | undefined;
    this.serviceName = given?.serviceName ?? defaultNameOf(this);
    if (!/^(?=.*\S)[ -~]{1,255}$/.test(this.serviceName)) {
      const value =
        given?.serviceName === undefined ? 'made of its path' : JSON.stringify(this.serviceName);
      throw new ConfigInvalidError(
        `serviceName of ${this.node.path} is ${value}; allowed: 1 to 255 ASCII characters`,
      );
    }
    this.#config = this.#check(given?.config ?? {});
    this.#warn(this.#config);
    this.#resources = new Resources(this, 'Default', {
      serviceName: this.serviceName,
      config: this.#config,
    });
    const { refreshTokenArn } = this.#resources;
    this.#secret = secretsmanager.Secret.fromSecretCompleteArn(this, 'Token', refreshTokenArn);
  }

  /** Receives every change as a CloudEvent. */
  get topic(): sns.ITopic {
    return this.#resources.topic;
  }

  /** Feeds, entity states and leases. */
  get table(): dynamodb.ITable {
    return this.#resources.table;
  }

  /** Holds the refresh token of the service. It is created without a value. */
  get refreshToken(): secretsmanager.ISecret {
    return this.#secret;
  }

  /** Holds events that are too large for the topic, and large quarantined values. */
  get bucket(): s3.IBucket {
    return this.#resources.largeEvents.bucket as s3.IBucket;
  }

  /** Dead-letter queues by the subscriber's name. */
  get deadLetters(): ReadonlyMap<string, sqs.IQueue> {
    return this.#resources.subscribers.deadLetters;
  }

  /** What delivers to the webhooks, by their names. */
  get webhooks(): ReadonlyMap<string, WebhookResources> {
    for (const webhook of this.#resources.subscribers.webhooks) {
      const { name, ownQueue, secretArn, function: deliver, logGroup } = webhook;
      if (this.#webhooks.has(name)) continue;
      const { queue, deadLetters } = ownQueue;
      const id = `WebhookSecret-${name}`;
      const secret = secretsmanager.Secret.fromSecretCompleteArn(this, id, secretArn);
      this.#webhooks.set(name, { queue, deadLetters, secret, function: deliver, logGroup });
    }
    return this.#webhooks;
  }

  /** The functions that poll. */
  get functions(): readonly lambda.IFunction[] {
    return this.#resources.poller.functions;
  }

  /** Answers operators. The command line finds it by an output: see {@link addOutputs}. */
  get controlFunction(): lambda.IFunction {
    return this.#resources.control.function;
  }

  /** The logs of {@link functions}. */
  get logGroups(): readonly logs.ILogGroup[] {
    return [this.#resources.poller.logGroup];
  }

  /** Where alarms are sent. Absent if `monitoring` is `off`. */
  get alarmTopic(): sns.ITopic | undefined {
    return this.#resources.monitoring?.alarmTopic;
  }

  /** Those of `monitoring`. */
  get alarms(): readonly cloudwatch.IAlarm[] {
    return this.#resources.monitoring?.alarms ?? [];
  }

  /** Lets a principal subscribe to the topic, also from another account. */
  grantSubscribe(grantee: iam.IGrantable): iam.Grant {
    return this.#resources.grantSubscribe(grantee);
  }

  /** Lets a principal read events that are too large for the topic. */
  grantReadLargeEvents(grantee: iam.IGrantable): iam.Grant {
    return this.#resources.grantReadLargeEvents(grantee);
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
   * @param subscription for instance a `SqsSubscription` of aws-cdk-lib/aws-sns-subscriptions, which also lets
   *   the topic send to its queue.
   * @throws Error if the name is invalid or taken, or the topic cannot deliver to it.
   */
  addSubscriber(name: string, subscription: sns.ITopicSubscription): sqs.IQueue;
  addSubscriber(
    first: SubscriberConfig | string,
    subscription?: sns.ITopicSubscription,
  ): sqs.IQueue {
    const { subscribers } = this.#resources;
    const queue =
      typeof first === 'string' && subscription !== undefined
        ? subscribers.addSubscription(first, subscription)
        : subscribers.add(this.#checkSubscriber(first as SubscriberConfig));
    const name = typeof first === 'string' ? first : first.name;
    this.#resources.monitoring?.addSubscriber(name, queue);
    if (this.#hasOutputs) addOutputs(this.#resources);
    return queue;
  }

  /**
   * Gives the stack the outputs that a stage of cdk.json has, which the command line reads.
   * Subscribers that are added later get theirs, too. One notifier of a stack can have them.
   *
   * @throws Error if the stack has another construct with the name of an output.
   */
  addOutputs(): void {
    addOutputs(this.#resources);
    this.#hasOutputs = true;
  }

  /** A metric of the pollers. docs/monitoring.md says what each means. */
  metric(name: MetricName, reading: MetricReading = {}): cloudwatch.Metric {
    const { serviceName } = this;
    const { monitoring } = this.#config;
    return metricOf(this, { serviceName, monitoring }, name, reading);
  }

  /** The whole config is checked again: subscribers depend on the topic, and on each other. */
  #checkSubscriber(subscriber: SubscriberConfig): StageConfig['subscribers'][number] {
    const before = [...this.#config.subscribers, ...this.#added];
    const owner = `${this.node.path} with the added subscriber`;
    const checked = parseStage({ ...this.#config, subscribers: [...before, subscriber] }, owner);
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

  #check(config: Partial<NotifierConfig>): StageConfig {
    const { path } = this.node;
    const given = Object.keys(config);
    const wrong = Object.entries(STACK_FIELDS).filter(([field]) => given.includes(field));
    const { account, region } = Stack.of(this);
    const stage = {
      ...config,
      ...Object.fromEntries(wrong.map(([field]) => [field, undefined])),
      ...(!Token.isUnresolved(account) && { account }),
      ...(!Token.isUnresolved(region) && { region }),
    };
    if (wrong.length === 0) return parseStage(stage, path);
    const lines = wrong.map(
      ([field, instead]) => `  config.${field} is set; allowed: nothing, use ${instead}`,
    );
    throw new ConfigInvalidError(
      [`The config of ${path} is invalid:`, ...lines, ...problemsOf(stage, path)].join('\n'),
    );
  }
}

/** With the stack's name: an app may deploy one construct tree under several names. */
function defaultNameOf(notifier: Construct): string {
  let stack = Stack.of(notifier);
  // The name of a nested stack is known only at deployment.
  while (stack.nestedStackParent) stack = stack.nestedStackParent;
  const path = notifier.node.path.slice(stack.node.path.length + 1);
  return `${stack.stackName}/${path}`;
}

/** The lines of what else is wrong with a config. */
function problemsOf(stage: object, owner: string): readonly string[] {
  try {
    parseStage(stage, owner);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigInvalidError)) throw error;
    return error.message.split('\n').slice(1);
  }
}
