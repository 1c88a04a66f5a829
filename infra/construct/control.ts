import { Duration, Stack, Validations } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { pollerConfig } from '../../functions/settings/poller-config.ts';
import { scheduleExpression } from '../../functions/settings/reconcile-fields.ts';
import { makeFunction, makeFunctionRole, type Parts } from './make-function.ts';
import { allow } from './permissions.ts';
import { Schedules } from './schedules.ts';
import type { Webhook } from './subscribers/webhook.ts';

export interface ControlProps extends Parts {
  readonly webhooks: readonly Webhook[];
}

/** Enough for the lists of 100,000 projects. */
const MEMORY_MB = 1024;
const TIMEOUT = Duration.seconds(60);

/** The only keys that it writes: neither entity states nor leases. */
const WRITTEN_KEYS = ['feeds#*', 'operators', 'quarantine', 'webhook#*'];

/**
 * The function that operators invoke: it reports the status, leaves commands in the table, and
 * reads and empties the quarantine. It can neither publish nor read the refresh token; those who
 * may invoke it are named by policies of their own.
 */
export class Control extends Construct {
  readonly function: lambda.Function;
  readonly logGroup: LogGroup;
  /** Orders to reconcile all lists. Absent unless the config has a schedule. */
  readonly schedules?: Schedules;

  constructor(scope: Construct, id: string, props: ControlProps) {
    super(scope, id);
    const { config, table, serviceName, webhooks } = props;
    const { schedule } = config.reconcile;
    const description = "Permissions of the operators' commands";
    const { role, logGroup } = makeFunctionRole(this, description, props);
    this.logGroup = logGroup;
    allowWork(role, props);
    if (webhooks.length > 0) allowWebhooks(role, props);
    this.function = makeFunction(this, 'Function', 'control', {
      description: 'Reports the status of all lists, and takes commands of operators',
      role,
      logGroup,
      memorySize: MEMORY_MB,
      timeout: TIMEOUT,
      // No retries of the schedule's invocations: the next time is the retry.
      ...(schedule !== undefined && { retryAttempts: 0 }),
      environment: {
        ...config.environment,
        SITECAST_CONFIG: JSON.stringify(pollerConfig.parse(config)),
        SITECAST_TABLE: table.tableName,
        POWERTOOLS_SERVICE_NAME: `${serviceName}-control`,
        NODE_OPTIONS: '--enable-source-maps',
        ...(webhooks.length > 0 && { SITECAST_WEBHOOKS: this.#describe(webhooks) }),
      },
    });
    if (schedule === undefined) return;
    const reconcile = new Construct(this, 'Reconcile');
    this.schedules = new Schedules(reconcile, '', 'Lets the schedule order a reconcile');
    this.schedules.add('Schedule', this.function, {
      description: 'Orders a reconcile of all lists',
      enabled: config.enabled,
      expression: scheduleExpression(schedule),
      input: { command: 'reconcile', scope: {} },
    });
  }

  #describe(webhooks: readonly Webhook[]): string {
    const described = webhooks.map(({ name, url, queue, deadLetters, function: deliver }) => ({
      name,
      url,
      queueUrl: queue.queueUrl,
      deadLettersUrl: deadLetters.queueUrl,
      functionName: deliver.functionName,
    }));
    return Stack.of(this).toJsonString(described);
  }
}

function allowWork(role: iam.Role, { table, largeEvents, key }: Parts): void {
  allow(role, ['dynamodb:BatchGetItem', 'dynamodb:Query'], table.tableArn);
  allow(role, ['dynamodb:BatchWriteItem', 'dynamodb:PutItem'], table.tableArn, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': WRITTEN_KEYS },
  });
  largeEvents.grantReadQuarantine(role);
  key?.grantUse(role, 'dynamodb');
  key?.grantRead(role, 's3');
}

/** Lets operators see, test and switch webhooks, and resend their events. */
function allowWebhooks(role: iam.Role, { webhooks, key }: ControlProps): void {
  allow(role, ['lambda:ListEventSourceMappings'], '*');
  // A test, or an event that is sent again, is written to a queue.
  key?.grantUse(role, 'sqs');
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'Lambda knows no permission to list the mappings of one function.',
  });
  for (const { queue, deadLetters, mapping } of webhooks) {
    allow(role, ['sqs:GetQueueAttributes', 'sqs:SendMessage'], queue.queueArn);
    const ofDeadLetters = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes'];
    allow(
      role,
      [...ofDeadLetters, 'ReceiveMessage'].map((action) => `sqs:${action}`),
      deadLetters.queueArn,
    );
    allow(role, ['lambda:UpdateEventSourceMapping'], mapping.eventSourceMappingArn);
  }
}
