import { Duration, Lazy, Stack, Validations, type RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { pollerConfig } from '../../functions/settings/poller-config.ts';
import type { StageConfig } from '../config/config.ts';
import { codeOf, HANDLER } from './function-code.ts';
import type { LargeEvents } from './large-events.ts';
import type { OwnKey } from './own-key.ts';
import { ReconcileSchedule } from './reconcile-schedule.ts';
import type { Webhook } from './subscribers/webhook.ts';

export interface ControlProps {
  readonly serviceName: string;
  readonly config: StageConfig;
  readonly table: ITable;
  /** Its bucket has the large values of quarantined items. */
  readonly largeEvents: LargeEvents;
  /** Decides whether the logs outlive the stack. */
  readonly removalPolicy: RemovalPolicy;
  readonly key?: OwnKey | undefined;
}

/** Enough for the lists of 100,000 projects. */
const MEMORY_MB = 1024;
const TIMEOUT = Duration.seconds(60);

/**
 * The function that operators invoke: it reports the status, leaves commands in the table, and reads and empties
 * the quarantine. It can neither publish nor read the refresh token; those who may invoke it are named by policies of their own.
 */
export class Control extends Construct {
  readonly function: lambda.Function;
  readonly logGroup: LogGroup;
  /** Absent unless the config has one. */
  readonly reconcileSchedule?: ReconcileSchedule;
  readonly #role: iam.Role;
  readonly #key: OwnKey | undefined;
  readonly #webhooks: Webhook[] = [];

  constructor(scope: Construct, id: string, props: ControlProps) {
    super(scope, id);
    const { config, table, largeEvents, key, removalPolicy, serviceName } = props;
    const { schedule } = config.reconcile;
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: config.logRetentionDays,
      removalPolicy,
      ...(key && { encryptionKey: key.key }),
    });
    const role = new iam.Role(this, 'Role', {
      description: "Permissions of the operators' commands",
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    });
    this.#role = role;
    this.#key = key;
    this.logGroup.grantWrite(role);
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
        resources: [table.tableArn],
      }),
    );
    // Neither entity states nor leases.
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['dynamodb:BatchWriteItem', 'dynamodb:PutItem'],
        resources: [table.tableArn],
        conditions: {
          'ForAllValues:StringLike': {
            'dynamodb:LeadingKeys': ['feeds#*', 'operators', 'quarantine', 'webhook#*'],
          },
        },
      }),
    );
    largeEvents.grantReadQuarantine(role);
    key?.grantUse(role, 'dynamodb');
    key?.grantRead(role, 's3');
    this.function = new lambda.Function(this, 'Function', {
      description: 'Reports the status of all lists, and takes commands of operators',
      code: codeOf('control'),
      handler: HANDLER,
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      role,
      logGroup: this.logGroup,
      memorySize: MEMORY_MB,
      timeout: TIMEOUT,
      // Of the schedule's asynchronous invocations: the next time is the retry.
      ...(schedule !== undefined && { retryAttempts: 0 }),
      environment: {
        ...config.environment,
        SITECAST_CONFIG: JSON.stringify(pollerConfig.parse(config)),
        SITECAST_TABLE: table.tableName,
        POWERTOOLS_SERVICE_NAME: `${serviceName}-control`,
        NODE_OPTIONS: '--enable-source-maps',
      },
    });
    if (schedule === undefined) return;
    const order = { schedule, enabled: config.enabled, control: this.function };
    this.reconcileSchedule = new ReconcileSchedule(this, 'Reconcile', order);
  }

  /** Lets operators see, test, switch and resend what is delivered to a webhook. */
  addWebhook(webhook: Webhook): void {
    if (this.#webhooks.length === 0) this.#beginWebhooks();
    this.#webhooks.push(webhook);
    const { queue, deadLetters } = webhook.ownQueue;
    const allow = (actions: string[], resource: string): void => {
      this.#role.addToPolicy(new iam.PolicyStatement({ actions, resources: [resource] }));
    };
    allow(['sqs:GetQueueAttributes', 'sqs:SendMessage'], queue.queueArn);
    allow(
      [
        'sqs:ChangeMessageVisibility',
        'sqs:DeleteMessage',
        'sqs:GetQueueAttributes',
        'sqs:ReceiveMessage',
      ],
      deadLetters.queueArn,
    );
    allow(['lambda:UpdateEventSourceMapping'], webhook.mapping.eventSourceMappingArn);
  }

  #beginWebhooks(): void {
    const list = Lazy.string({
      produce: () =>
        Stack.of(this).toJsonString(
          this.#webhooks.map(({ name, url, ownQueue, function: { functionName } }) => ({
            name,
            url,
            queueUrl: ownQueue.queue.queueUrl,
            deadLettersUrl: ownQueue.deadLetters.queueUrl,
            functionName,
          })),
        ),
    });
    this.function.addEnvironment('SITECAST_WEBHOOKS', list);
    this.#role.addToPolicy(
      new iam.PolicyStatement({ actions: ['lambda:ListEventSourceMappings'], resources: ['*'] }),
    );
    // A test, or an event that is sent again, is written to a queue.
    this.#key?.grantUse(this.#role, 'sqs');
    Validations.of(this.#role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Lambda knows no permission to list the mappings of one function.',
    });
  }
}
