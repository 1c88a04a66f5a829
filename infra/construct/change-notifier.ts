import { Aws, Fn, Names, RemovalPolicy, Validations } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/config.ts';
import { applyRemovalPolicy } from './apply-removal-policy.ts';
import { Control } from './control.ts';
import { LargeEvents } from './large-events.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { OwnKey } from './own-key.ts';
import { Poller } from './poller.ts';
import { PROTOCOLS, Subscribers } from './subscribers/subscribers.ts';

export interface ChangeNotifierProps {
  /** Name in logs, and the dimension `service` of the metrics: `sitecast-dev`. */
  readonly serviceName: string;
  /** See `parseConfig`. `account` and `region` concern the stack only. */
  readonly config: StageConfig;
}

/**
 * Polls the Construction Project Service API v3 on a schedule and publishes every change to a
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
 * Physical names are generated: one account can hold several notifiers.
 */
export class ChangeNotifier extends Construct {
  readonly topic: sns.Topic;
  /** Feeds, entity states and leases; string keys `pk` and `sk`. */
  readonly table: dynamodb.ITable;
  readonly largeEvents: LargeEvents;
  readonly subscribers: Subscribers;
  /** ARN of the secret. Created without a value; the operator sets it. */
  readonly refreshTokenArn: string;
  readonly poller: Poller;
  /** Carries out the commands of operators. */
  readonly control: Control;
  /** Absent with `monitoring` off. */
  readonly monitoring?: Monitoring;

  constructor(scope: Construct, id: string, props: ChangeNotifierProps) {
    super(scope, id);
    const { config } = props;
    const key =
      config.kmsKeyArn === undefined ? undefined : new OwnKey(this, 'Key', config.kmsKeyArn);
    this.table = this.#useTable(config, key);
    this.topic = this.#makeTopic(config);
    this.largeEvents = new LargeEvents(this, 'LargeEvents', config, key);
    this.refreshTokenArn = config.existingSecretArn ?? this.#makeSecret(config).ref;
    const removalPolicy = removal(config);
    this.poller = new Poller(this, 'Poller', {
      ...props,
      table: this.table,
      topic: this.topic,
      largeEvents: this.largeEvents,
      refreshTokenArn: this.refreshTokenArn,
      removalPolicy,
      key,
    });
    this.control = new Control(this, 'Control', {
      ...props,
      table: this.table,
      largeEvents: this.largeEvents,
      removalPolicy,
      key,
    });
    this.#allowOnlyToPublish(this.poller.role);
    this.subscribers = new Subscribers(this, 'Subscribers', {
      ...props,
      table: this.table,
      topic: this.topic,
      largeEvents: this.largeEvents,
      control: this.control,
      removalPolicy,
      key,
    });
    // A schedule starts at once, and who is not subscribed yet misses what is published.
    for (const each of this.node.findAll()) {
      if (each instanceof CfnSchedule) each.node.addDependency(this.subscribers.subscriptions);
    }
    if (config.monitoring !== 'off') {
      this.monitoring = new Monitoring(this, 'Monitoring', {
        ...props,
        poller: this.poller,
        table: this.table,
        topic: this.topic,
        control: this.control,
        subscribers: this.subscribers,
      });
    }
  }

  /** Lets a principal subscribe to the topic, also from another account. */
  grantSubscribe(grantee: iam.IGrantable): iam.Grant {
    return this.topic.grantSubscribe(grantee);
  }

  grantReadLargeEvents(grantee: iam.IGrantable): iam.Grant {
    return this.largeEvents.grantRead(grantee);
  }

  #useTable(config: StageConfig, key: OwnKey | undefined): dynamodb.ITable {
    if (config.existingTableArn !== undefined) {
      return dynamodb.Table.fromTableArn(this, 'Table', config.existingTableArn);
    }
    return new dynamodb.Table(this, 'Table', {
      partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'sk', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      // The AWS managed key logs its use and needs no grants.
      ...(key === undefined
        ? { encryption: dynamodb.TableEncryption.AWS_MANAGED }
        : { encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED, encryptionKey: key.key }),
      timeToLiveAttribute: 'z',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: config.deletionProtection,
      removalPolicy: removal(config),
    }) as dynamodb.ITable;
  }

  #makeTopic(config: StageConfig): sns.Topic {
    const topic = new sns.Topic(this, 'Topic', {
      enforceSSL: true,
      // Messages are signed with SHA-256, not SHA-1.
      signatureVersion: '2',
      ...(config.topicType === 'fifo' && {
        fifo: true,
        // CloudFormation gives FIFO topics no name of their own. With the id of the stack in it, the name is
        // free again for a stack that is created after this one was deleted and its topic retained.
        topicName: `${Names.uniqueResourceName(this, { maxLength: 200 })}-${stackUuid()}`,
        // Events are deduplicated by id: the body of a repeat differs in recordedtime.
        contentBasedDeduplication: false,
        // Only the events of one entity are ordered: no limit of 3000 a second applies to the topic.
        fifoThroughputScope: sns.FifoThroughputScope.MESSAGE_GROUP,
      }),
      ...(config.archiveDays !== undefined && { messageRetentionPeriodInDays: config.archiveDays }),
    });
    applyRemovalPolicy(topic, removal(config));
    // With the AWS managed key, neither subscribers nor the account's publishers need a grant. The literal
    // alias makes SNS create the key in an account that has none yet; the alias's ARN would name nothing.
    const resource = topic.node.defaultChild as sns.CfnTopic;
    resource.kmsMasterKeyId = config.kmsKeyArn ?? 'alias/aws/sns';
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
      sid: 'OnlyTheseProtocols',
      effect: iam.Effect.DENY,
      principals: [new iam.StarPrincipal()],
      conditions: { StringNotEquals: { 'sns:Protocol': PROTOCOLS } },
    });
    return topic;
  }

  /** Subscribers trust what the topic sends, so nothing else in the account may publish. */
  #allowOnlyToPublish(role: iam.IRole): void {
    this.topic.addToResourcePolicy(
      new iam.PolicyStatement({
        sid: 'OnlyThePollerPublishes',
        effect: iam.Effect.DENY,
        principals: [new iam.StarPrincipal()],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { ArnNotEquals: { 'aws:PrincipalArn': role.roleArn } },
      }),
    );
  }

  #makeSecret(config: StageConfig): secretsmanager.CfnSecret {
    // The L2 construct would generate a value; this secret stays empty until the operator sets it.
    const secret = new secretsmanager.CfnSecret(this, 'RefreshToken', {
      description: 'Refresh token (API key) of the Construction Project Service, as plain text',
      ...(config.kmsKeyArn !== undefined && { kmsKeyId: config.kmsKeyArn }),
    });
    secret.applyRemovalPolicy(removal(config));
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The service issues refresh tokens on a web page only; nothing can rotate them.',
    });
    return secret;
  }
}

/** The part of the stack's id that no other stack ever has. */
function stackUuid(): string {
  return Fn.select(2, Fn.split('/', Aws.STACK_ID));
}

/** What is retained is deleted after all if its creation is rolled back: it is empty then. */
function removal({ removalPolicy }: StageConfig): RemovalPolicy {
  return removalPolicy === 'retain'
    ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    : RemovalPolicy.DESTROY;
}
