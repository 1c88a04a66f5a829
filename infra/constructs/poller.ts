import { Duration, Stack, Validations, type RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Schedule, ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { pollerConfig } from '../../functions/settings/poller-config.ts';
import type { StageConfig } from '../config/config.ts';
import { codeOf, HANDLER } from './function-code.ts';
import type { LargeEvents } from './large-events.ts';
import { METRICS_NAMESPACE } from './monitoring/poller-metrics.ts';
import { certificatesOf, networkEnvironment } from './network.ts';
import type { OwnKey } from './own-key.ts';

export interface PollerProps {
  /** Name in logs, and the dimension `service` of the metrics. */
  readonly serviceName: string;
  readonly config: StageConfig;
  readonly table: ITable;
  readonly topic: ITopic;
  readonly largeEvents: LargeEvents;
  readonly refreshTokenArn: string;
  /** Receives invalid entities and events. */
  readonly quarantine: IQueue;
  /** Receives failed runs and undelivered ticks. */
  readonly failures: IQueue;
  /** Decides whether the logs outlive the stack. */
  readonly removalPolicy: RemovalPolicy;
  /** Encrypts the logs and what the poller uses, if it is set. */
  readonly key?: OwnKey | undefined;
}

/** Exactly the calls of the state store. */
const TABLE_ACTIONS = [
  'dynamodb:BatchGetItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:PutItem',
  'dynamodb:Query',
  'dynamodb:UpdateItem',
];

/**
 * The next tick retries a failed run, so nothing else does, and an undelivered tick expires after a
 * minute: the shortest age that Scheduler and Lambda accept.
 */
const RETRIES = 0;
const TICK_MAX_AGE = Duration.minutes(1);

/** The function that executes one run, and the schedule that starts it. Runs never overlap. */
export class Poller extends Construct {
  readonly role: iam.Role;
  readonly function: lambda.Function;
  readonly logGroup: LogGroup;
  readonly schedule: Schedule;
  /** Of its own: Scheduler's metrics tell groups apart, not schedules. */
  readonly scheduleGroup: ScheduleGroup;

  constructor(scope: Construct, id: string, props: PollerProps) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: props.config.logRetentionDays,
      removalPolicy: props.removalPolicy,
      ...(props.key && { encryptionKey: props.key.key }),
    });
    this.role = this.#makeRole(props, this.logGroup);
    this.function = this.#makeFunction(props, this.logGroup);
    this.scheduleGroup = new ScheduleGroup(this, 'ScheduleGroup');
    this.schedule = this.#makeSchedule(props);
  }

  #makeFunction(props: PollerProps, logGroup: LogGroup): lambda.Function {
    const { config, failures } = props;
    const poller = new lambda.Function(this, 'Function', {
      description: 'Polls the Construction Project Service and publishes changes',
      code: codeOf('poll', certificatesOf(config)),
      handler: HANDLER,
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      role: this.role,
      logGroup,
      memorySize: config.memoryMb,
      timeout: Duration.seconds(config.timeoutSeconds),
      ...(config.reserveConcurrency && { reservedConcurrentExecutions: 1 }),
      retryAttempts: RETRIES,
      maxEventAge: TICK_MAX_AGE,
      // SqsDestination would also grant the rights of a consumer.
      onFailure: { bind: () => ({ destination: failures.queueArn }) },
      environment: makeEnvironment(props),
    });
    // The L2 construct would look up the VPC in the account.
    if (config.vpc) (poller.node.defaultChild as lambda.CfnFunction).vpcConfig = config.vpc;
    return poller;
  }

  #makeRole(props: PollerProps, logGroup: LogGroup): iam.Role {
    const role = new iam.Role(this, 'Role', {
      description: 'Permissions of the poller',
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(role);
    allow(role, TABLE_ACTIONS, props.table.tableArn);
    allow(role, ['sns:Publish'], props.topic.topicArn);
    props.largeEvents.grantPut(role);
    allow(role, ['secretsmanager:GetSecretValue'], props.refreshTokenArn);
    allow(role, ['sqs:SendMessage'], props.quarantine.queueArn);
    allow(role, ['sqs:SendMessage'], props.failures.queueArn);
    props.key?.grantUse(role, 'dynamodb', 's3', 'secretsmanager', 'sns', 'sqs');
    if (props.config.vpc) allowInterfaces(role);
    return role;
  }

  #makeSchedule({ config, failures, key }: PollerProps): Schedule {
    const { account } = Stack.of(this);
    const group = this.scheduleGroup.scheduleGroupArn;
    const role = new iam.Role(this, 'ScheduleRole', {
      description: 'Lets the schedule start the poller',
      assumedBy: new iam.ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': group } },
      }),
    });
    allow(role, ['lambda:InvokeFunction'], this.function.functionArn);
    allow(role, ['sqs:SendMessage'], failures.queueArn);
    key?.grantUse(role, 'sqs');
    // LambdaInvoke would also allow every version and alias of the function.
    const target = {
      arn: this.function.functionArn,
      role,
      retryPolicy: {
        maximumRetryAttempts: RETRIES,
        maximumEventAgeInSeconds: TICK_MAX_AGE.toSeconds(),
      },
      deadLetterConfig: { arn: failures.queueArn },
    };
    const schedule = new Schedule(this, 'Schedule', {
      description: 'Starts a run of the poller',
      enabled: config.enabled,
      schedule: ScheduleExpression.rate(Duration.minutes(config.everyMinutes)),
      target: { bind: () => target },
      scheduleGroup: this.scheduleGroup,
    });
    // Otherwise its first ticks may come before the permission to invoke.
    schedule.node.addDependency(role);
    return schedule;
  }
}

function allow(role: iam.Role, actions: string[], resource: string): void {
  role.addToPolicy(new iam.PolicyStatement({ actions, resources: [resource] }));
}

/** Lets Lambda connect the function to subnets, in the name of its role. */
function allowInterfaces(role: iam.Role): void {
  const actions = [
    'AssignPrivateIpAddresses',
    'CreateNetworkInterface',
    'DeleteNetworkInterface',
    'DescribeNetworkInterfaces',
    'DescribeSubnets',
    'UnassignPrivateIpAddresses',
  ];
  allow(
    role,
    actions.map((action) => `ec2:${action}`),
    '*',
  );
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'Lambda names the interfaces that it makes; no policy can name them before.',
  });
}

/**
 * MB of each semi-space of the heap's young generation, which has three. The default of 16 MB each took
 * a fifth of a small function's memory for garbage.
 */
function semiSpaceMb({ memoryMb }: StageConfig): number {
  return Math.min(Math.floor(memoryMb / 128), 16);
}

/** The variables that Node, the SDK, Powertools and `functions/settings/settings.ts` read. */
function makeEnvironment(props: PollerProps): Record<string, string> {
  const { config } = props;
  return {
    NODE_OPTIONS: `--enable-source-maps --max-semi-space-size=${semiSpaceMb(config)}`,
    POWERTOOLS_SERVICE_NAME: props.serviceName,
    POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
    POWERTOOLS_LOG_LEVEL: config.logLevel,
    ...(config.useFipsEndpoints && { AWS_USE_FIPS_ENDPOINT: 'true' }),
    ...(config.useDualStackEndpoints && { AWS_USE_DUALSTACK_ENDPOINT: 'true' }),
    ...networkEnvironment(config),
    SITECAST_CONFIG: JSON.stringify(pollerConfig.parse(config)),
    SITECAST_REFRESH_TOKEN_SECRET: props.refreshTokenArn,
    SITECAST_TABLE: props.table.tableName,
    SITECAST_TOPIC_ARN: props.topic.topicArn,
    SITECAST_LARGE_EVENTS_BUCKET: props.largeEvents.bucket.bucketName,
    SITECAST_QUARANTINE_URL: props.quarantine.queueUrl,
  };
}
