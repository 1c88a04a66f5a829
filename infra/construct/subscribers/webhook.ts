import { Duration, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { StageConfig } from '../../config/config.ts';
import type { SubscriberConfig } from '../../config/subscribers.ts';
import { webhookOptions } from '../../config/webhook-fields.ts';
import { codeOf, HANDLER } from '../function-code.ts';
import type { LargeEvents } from '../large-events.ts';
import { METRICS_NAMESPACE } from '../monitoring/poller-metrics.ts';
import { allowVpc, certificatesOf, joinVpc, networkEnvironment } from '../network.ts';
import type { DeadLettersProps } from './dead-letters.ts';
import { OwnQueue } from './own-queue.ts';

export interface WebhookProps extends DeadLettersProps {
  /** Name in logs, and the dimension `service` of the metrics. */
  readonly serviceName: string;
  readonly config: StageConfig;
  readonly subscriber: SubscriberConfig;
  readonly table: ITable;
  readonly largeEvents: LargeEvents;
}

const MEMORY_MB = 512;
const TIMEOUT = Duration.seconds(60);
/** The function has ended long before; it sets the time of a retry itself. */
const VISIBILITY_TIMEOUT = Duration.minutes(2);
/** The maximum of SQS: the function decides which events are dead letters, this is for messages that crash it. */
const MAX_RECEIVE_COUNT = 1000;
const BATCH_SIZE = 10;

/** Letters and digits are base64: 32 of them are 24 bytes, the least of Standard Webhooks. */
const SECRET_LENGTH = 32;

/**
 * Posts the topic's events to one endpoint: a queue, a function that takes them from it, and a secret that signs.
 * Each webhook has its own, so that none can slow, starve or read another.
 */
export class Webhook extends Construct {
  readonly name: string;
  readonly url: string;
  readonly ownQueue: OwnQueue;
  readonly secretArn: string;
  readonly function: lambda.Function;
  readonly mapping: lambda.EventSourceMapping;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: WebhookProps) {
    super(scope, id);
    const { subscriber, config } = props;
    const { maxConcurrency, ...options } = webhookOptions(subscriber);
    this.name = subscriber.name;
    this.url = subscriber.endpoint;
    this.ownQueue = new OwnQueue(this, 'Events', {
      ...props,
      visibilityTimeout: VISIBILITY_TIMEOUT,
      maxReceiveCount: MAX_RECEIVE_COUNT,
    });
    this.secretArn = subscriber.secretArn ?? this.#makeSecret(props).ref;
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: config.logRetentionDays,
      removalPolicy: props.removalPolicy,
      ...(props.key && { encryptionKey: props.key.key }),
    });
    const role = this.#makeRole(props);
    const { name, url } = this;
    const { monitoring } = config;
    this.function = this.#makeFunction(role, props, { name, url, ...options, monitoring });
    this.mapping = new lambda.EventSourceMapping(this, 'Mapping', {
      target: this.function,
      eventSourceArn: this.ownQueue.queue.queueArn,
      batchSize: BATCH_SIZE,
      reportBatchItemFailures: true,
      maxConcurrency,
    });
    this.#allowToDisable(role);
  }

  #makeFunction(role: iam.Role, props: WebhookProps, settings: object): lambda.Function {
    const { config, table, largeEvents, serviceName } = props;
    const deliver = new lambda.Function(this, 'Function', {
      description: `Posts changes to the webhook ${this.name}`,
      code: codeOf('deliver', certificatesOf(config)),
      handler: HANDLER,
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      role,
      logGroup: this.logGroup,
      memorySize: MEMORY_MB,
      timeout: TIMEOUT,
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        POWERTOOLS_SERVICE_NAME: serviceName,
        POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
        POWERTOOLS_LOG_LEVEL: config.logLevel,
        ...networkEnvironment(config),
        SITECAST_WEBHOOK: JSON.stringify(settings),
        SITECAST_WEBHOOK_QUEUE_URL: this.ownQueue.queue.queueUrl,
        SITECAST_WEBHOOK_DEAD_LETTERS_URL: this.ownQueue.deadLetters.queueUrl,
        SITECAST_WEBHOOK_SECRET_ARN: this.secretArn,
        SITECAST_TABLE: table.tableName,
        SITECAST_LARGE_EVENTS_BUCKET: largeEvents.bucket.bucketName,
      },
    });
    joinVpc(deliver, config);
    return deliver;
  }

  #makeRole({ config, table, largeEvents, key }: WebhookProps): iam.Role {
    const role = new iam.Role(this, 'Role', {
      description: `Permissions of the webhook ${this.name}`,
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    });
    this.logGroup.grantWrite(role);
    const { queue, deadLetters } = this.ownQueue;
    const allow = (actions: string[], resource: string, conditions?: iam.Conditions): void => {
      role.addToPolicy(
        new iam.PolicyStatement({
          actions,
          resources: [resource],
          ...(conditions && { conditions }),
        }),
      );
    };
    allow(
      [
        'sqs:ChangeMessageVisibility',
        'sqs:DeleteMessage',
        'sqs:GetQueueAttributes',
        'sqs:ReceiveMessage',
      ],
      queue.queueArn,
    );
    allow(['sqs:SendMessage'], deadLetters.queueArn);
    allow(['secretsmanager:GetSecretValue'], this.secretArn);
    allow(['dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], table.tableArn, {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [`webhook#${this.name}`] },
    });
    largeEvents.grantReadEvents(role);
    key?.grantUse(role, 'dynamodb', 'sqs');
    key?.grantRead(role, 's3', 'secretsmanager');
    allowVpc(role, config);
    return role;
  }

  #makeSecret({ config, removalPolicy }: WebhookProps): secretsmanager.CfnSecret {
    const secret = new secretsmanager.CfnSecret(this, 'Secret', {
      description: `Signs what is posted to the webhook ${this.name}: prefix and key together`,
      ...(config.kmsKeyArn !== undefined && { kmsKeyId: config.kmsKeyArn }),
      generateSecretString: {
        secretStringTemplate: '{"prefix":"whsec_"}',
        generateStringKey: 'key',
        passwordLength: SECRET_LENGTH,
        excludePunctuation: true,
      },
    });
    secret.applyRemovalPolicy(removalPolicy);
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The receiver has to be given the new secret at the same time, which only people do.',
    });
    return secret;
  }

  /** In a policy of its own: the mapping follows the function, and the function the policy of its role. */
  #allowToDisable(role: iam.Role): void {
    const policy = new iam.Policy(this, 'DisablePolicy', {
      roles: [role],
      statements: [
        new iam.PolicyStatement({
          actions: ['lambda:UpdateEventSourceMapping'],
          resources: [this.mapping.eventSourceMappingArn],
        }),
        new iam.PolicyStatement({ actions: ['lambda:ListEventSourceMappings'], resources: ['*'] }),
      ],
    });
    Validations.of(policy).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Lambda knows no permission to list the mappings of one function.',
    });
  }
}
