import { Duration, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as logs from 'aws-cdk-lib/aws-logs';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { webhookOptions, type SubscriberConfig } from '../../config/subscribers.ts';
import { allowNetwork, makeFunction, makeFunctionRole, type Parts } from '../make-function.ts';
import { METRICS_NAMESPACE } from '../monitoring/metrics.ts';
import { allow } from '../permissions.ts';
import type { WebhookResources } from '../public-types.ts';
import { OwnQueue } from './queues.ts';

export interface WebhookProps extends Parts {
  readonly subscriber: SubscriberConfig;
}

const MEMORY_MB = 512;
const TIMEOUT = Duration.seconds(60);
/** The function has ended long before; it sets the time of a retry itself. */
const VISIBILITY_TIMEOUT = Duration.minutes(2);
/** The maximum of SQS, for messages that crash the function: it decides on dead letters itself. */
const MAX_RECEIVE_COUNT = 1000;
const BATCH_SIZE = 10;

/** Letters and digits are base64: 32 of them are 24 bytes, the least of Standard Webhooks. */
const SECRET_LENGTH = 32;

/**
 * Posts the topic's events to one endpoint: a queue, a function that takes them from it, and a
 * secret that signs. Each webhook has its own, so that none can slow, starve or read another.
 */
export class Webhook extends Construct implements WebhookResources {
  readonly name: string;
  readonly url: string;
  readonly ownQueue: OwnQueue;
  readonly secret: secretsmanager.ISecret;
  readonly function: lambda.Function;
  readonly mapping: lambda.EventSourceMapping;
  readonly logGroup: logs.LogGroup;

  constructor(scope: Construct, id: string, props: WebhookProps) {
    super(scope, id);
    const { subscriber } = props;
    this.name = subscriber.name;
    this.url = subscriber.endpoint;
    this.ownQueue = new OwnQueue(this, 'Events', {
      ...props,
      visibilityTimeout: VISIBILITY_TIMEOUT,
      maxReceiveCount: MAX_RECEIVE_COUNT,
    });
    const secretArn = subscriber.secretArn ?? this.#makeSecret(props).ref;
    this.secret = secretsmanager.Secret.fromSecretCompleteArn(this, 'Signing', secretArn);
    const description = `Permissions of the webhook ${this.name}`;
    const { role, logGroup } = makeFunctionRole(this, description, props);
    this.logGroup = logGroup;
    this.#allowWork(role, props);
    this.function = this.#makeFunction(role, props);
    this.mapping = new lambda.EventSourceMapping(this, 'Mapping', {
      target: this.function,
      eventSourceArn: this.queue.queueArn,
      batchSize: BATCH_SIZE,
      reportBatchItemFailures: true,
      maxConcurrency: webhookOptions(subscriber).maxConcurrency,
    });
    this.#allowToDisable(role);
  }

  get queue(): sqs.IQueue {
    return this.ownQueue.queue;
  }

  get deadLetters(): sqs.IQueue {
    return this.ownQueue.deadLetters;
  }

  #makeFunction(role: iam.Role, props: WebhookProps): lambda.Function {
    const { config, table, largeEvents, serviceName, subscriber } = props;
    const { name, url } = this;
    const { allowPrivateAddress } = webhookOptions(subscriber);
    const settings = { name, url, allowPrivateAddress, monitoring: config.monitoring };
    return makeFunction(this, 'Function', 'deliver', {
      description: `Posts changes to the webhook ${name}`,
      role,
      logGroup: this.logGroup,
      memorySize: MEMORY_MB,
      timeout: TIMEOUT,
      network: config,
      environment: {
        ...config.environment,
        NODE_OPTIONS: '--enable-source-maps',
        POWERTOOLS_SERVICE_NAME: serviceName,
        POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
        POWERTOOLS_LOG_LEVEL: config.logLevel,
        SITECAST_WEBHOOK: JSON.stringify(settings),
        SITECAST_WEBHOOK_QUEUE_URL: this.queue.queueUrl,
        SITECAST_WEBHOOK_DEAD_LETTERS_URL: this.deadLetters.queueUrl,
        SITECAST_WEBHOOK_SECRET_ARN: this.secret.secretArn,
        SITECAST_TABLE: table.tableName,
        SITECAST_LARGE_EVENTS_BUCKET: largeEvents.bucket.bucketName,
      },
    });
  }

  #allowWork(role: iam.Role, { config, table, largeEvents, key }: WebhookProps): void {
    const onQueue = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes'];
    allow(
      role,
      [...onQueue, 'ReceiveMessage'].map((action) => `sqs:${action}`),
      this.queue.queueArn,
    );
    allow(role, ['sqs:SendMessage'], this.deadLetters.queueArn);
    allow(role, ['secretsmanager:GetSecretValue'], this.secret.secretArn);
    const onTable = ['dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];
    allow(role, onTable, table.tableArn, {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [`webhook#${this.name}`] },
    });
    largeEvents.grantReadEvents(role);
    key?.grantUse(role, 'dynamodb', 'sqs');
    key?.grantRead(role, 's3', 'secretsmanager');
    allowNetwork(role, config);
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

  /** In a policy of its own: mapping, function and the role's policy follow each other. */
  #allowToDisable(role: iam.Role): void {
    const statement = (action: string, resource: string) =>
      new iam.PolicyStatement({ actions: [action], resources: [resource] });
    const policy = new iam.Policy(this, 'DisablePolicy', {
      roles: [role],
      statements: [
        statement('lambda:UpdateEventSourceMapping', this.mapping.eventSourceMappingArn),
        statement('lambda:ListEventSourceMappings', '*'),
      ],
    });
    Validations.of(policy).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Lambda knows no permission to list the mappings of one function.',
    });
  }
}
