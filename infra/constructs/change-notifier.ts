import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/config.ts';
import { makeKeptQueue } from './retained-queue.ts';
import { LargeEvents } from './large-events.ts';
import { Poller } from './poller.ts';
import { Subscribers } from './subscribers.ts';

/** What a {@link ChangeNotifier} is made from. */
export interface ChangeNotifierProps {
  /** Names the notifier in logs and as the dimension `service` of its metrics: `sitecast-dev`. */
  readonly serviceName: string;
  /** Checked settings, see `parseConfig`. `account` and `region` are the stack's business. */
  readonly config: StageConfig;
}

/**
 * Polls the Construction Project Service API v3 on a schedule and publishes every change to a
 * topic:
 *
 * ```
 * schedule → poller → topic → subscribers
 *     │       │││└───→ large events  whole, for a while
 *     │       ││└────→ quarantine    what cannot be worked with
 *     │       │└─────↔ table         what is known
 *     └───────┴──────→ failures      runs that failed, ticks that were lost
 * ```
 *
 * Physical names are generated, so several notifiers may live in one account.
 */
export class ChangeNotifier extends Construct {
  /** Where change events are published. */
  readonly topic: sns.Topic;
  /** Feeds, known entities and leases; string keys `pk` and `sk`. */
  readonly table: dynamodb.Table;
  /** Where events lie that are too large for the topic. */
  readonly largeEvents: LargeEvents;
  /** The subscribers of the config. */
  readonly subscribers: Subscribers;
  /** The refresh token. Created without a value; the operator puts it. */
  readonly refreshToken: secretsmanager.CfnSecret;
  /** Entities and events that cannot be worked with, kept for a human. */
  readonly quarantine: sqs.Queue;
  /** Runs that failed and ticks that could not be delivered. */
  readonly failures: sqs.Queue;
  /** The function that does one run, and the schedule that starts it. */
  readonly poller: Poller;

  constructor(scope: Construct, id: string, props: ChangeNotifierProps) {
    super(scope, id);
    const { config } = props;
    this.table = this.#makeTable(config);
    this.topic = this.#makeTopic(config);
    this.largeEvents = new LargeEvents(this, 'LargeEvents', config);
    this.refreshToken = this.#makeSecret(config);
    const removalPolicy = removal(config);
    this.quarantine = makeKeptQueue(this, 'Quarantine', { removalPolicy });
    this.failures = makeKeptQueue(this, 'Failures', { removalPolicy: RemovalPolicy.DESTROY });
    this.poller = new Poller(this, 'Poller', {
      ...props,
      table: this.table,
      topic: this.topic,
      largeEvents: this.largeEvents,
      refreshToken: this.refreshToken,
      quarantine: this.quarantine,
      failures: this.failures,
      removalPolicy,
    });
    this.subscribers = new Subscribers(this, 'Subscribers', {
      config,
      topic: this.topic,
      removalPolicy,
    });
  }

  /** Lets somebody subscribe to the topic, also from another account. */
  grantSubscribe(grantee: iam.IGrantable): iam.Grant {
    return this.topic.grantSubscribe(grantee);
  }

  /** Lets a subscriber read the events that are too large for the topic. */
  grantReadLargeEvents(grantee: iam.IGrantable): iam.Grant {
    return this.largeEvents.grantRead(grantee);
  }

  #makeTable(config: StageConfig): dynamodb.Table {
    return new dynamodb.Table(this, 'Table', {
      partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'sk', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      // The account's own DynamoDB key: its use is on record, and no grants are needed.
      encryption: dynamodb.TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: config.removalPolicy === 'retain',
      removalPolicy: removal(config),
    });
  }

  #makeTopic(config: StageConfig): sns.Topic {
    const topic = new sns.Topic(this, 'Topic', {
      // With this key SNS decrypts for every subscriber, and the account's publishers need no
      // grant. A key of our own would have to name each of them.
      masterKey: kms.Alias.fromAliasName(this, 'TopicKey', 'alias/aws/sns'),
      // Denies publishing without TLS.
      enforceSSL: true,
      // Messages are signed with SHA-256, not SHA-1.
      signatureVersion: '2',
      ...(config.topicType === 'fifo' && {
        fifo: true,
        // An event's id tells repeats; its body differs in recordedtime.
        contentBasedDeduplication: false,
        // Order is that of one entity, so that all together have no limit of 3000 a second.
        fifoThroughputScope: sns.FifoThroughputScope.MESSAGE_GROUP,
      }),
      ...(config.archiveDays !== undefined && {
        messageRetentionPeriodInDays: config.archiveDays,
      }),
    });
    const onSubscribe = (statement: iam.PolicyStatementProps) =>
      topic.addToResourcePolicy(
        new iam.PolicyStatement({
          actions: ['sns:Subscribe'],
          resources: [topic.topicArn],
          ...statement,
        }),
      );
    const accounts = config.subscriberAccountIds.map((id) => new iam.AccountPrincipal(id));
    onSubscribe({
      sid: 'SubscribeFromAccounts',
      principals: [new iam.AccountRootPrincipal(), ...accounts],
    });
    if (config.organisationId !== undefined) {
      onSubscribe({
        sid: 'SubscribeFromOrganisation',
        principals: [new iam.OrganizationPrincipal(config.organisationId)],
      });
    }
    onSubscribe({
      sid: 'NoDeliveryWithoutTls',
      effect: iam.Effect.DENY,
      principals: [new iam.AnyPrincipal()],
      conditions: { StringEquals: { 'sns:Protocol': 'http' } },
    });
    return topic;
  }

  #makeSecret(config: StageConfig): secretsmanager.CfnSecret {
    // The L2 construct would generate a value; this one stays empty until the operator puts it.
    const secret = new secretsmanager.CfnSecret(this, 'RefreshToken', {
      description: 'Refresh token (API key) of the Construction Project Service, as plain text',
    });
    secret.applyRemovalPolicy(removal(config));
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The service issues refresh tokens on a web page only; nothing can rotate them.',
    });
    return secret;
  }
}

function removal({ removalPolicy }: StageConfig): RemovalPolicy {
  return removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
}
