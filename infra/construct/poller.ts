import { Duration, Stack, RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Schedule, ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { pollerConfig } from '../../functions/settings/poller-config.ts';
import type { StageConfig } from '../config/config.ts';
import { codeOf, HANDLER } from './function-code.ts';
import type { LargeEvents } from './large-events.ts';
import { METRICS_NAMESPACE } from './monitoring/poller-metrics.ts';
import { allowVpc, certificatesOf, joinVpc, networkEnvironment } from './network.ts';
import type { OwnKey } from './own-key.ts';

export interface PollerProps {
  /** Name in logs, and the dimension `service` of the metrics. */
  readonly serviceName: string;
  readonly config: StageConfig;
  readonly table: ITable;
  readonly topic: ITopic;
  readonly largeEvents: LargeEvents;
  readonly refreshTokenArn: string;
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

/** For each shard the function that executes one run, and the schedule that starts it. Runs never overlap. */
export class Poller extends Construct {
  /** Shared by the shards, as is the group of logs. */
  readonly role: iam.Role;
  /** By shard. */
  readonly functions: readonly lambda.Function[];
  readonly logGroup: LogGroup;
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
    const shards = Array.from({ length: props.config.shards }, (_, shard) => shard);
    this.functions = shards.map((shard) => this.#makeFunction(shard, props, this.logGroup));
    // By default it outlives the stack, and its name is taken then: the next deployment would fail.
    this.scheduleGroup = new ScheduleGroup(this, 'ScheduleGroup', {
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = this.#makeScheduleRole();
    for (const [shard, target] of this.functions.entries()) {
      this.#makeSchedule(shard, target, role, props);
    }
  }

  #makeFunction(shard: number, props: PollerProps, logGroup: LogGroup): lambda.Function {
    const { config } = props;
    const poller = new lambda.Function(this, idOf('Function', shard), {
      description: `Polls the Construction Project Service and publishes changes${partOf(shard, config)}`,
      code: codeOf('poll', certificatesOf(config)),
      handler: HANDLER,
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      role: this.role,
      logGroup,
      memorySize: config.memoryMb,
      timeout: Duration.seconds(config.timeoutSeconds),
      retryAttempts: RETRIES,
      maxEventAge: TICK_MAX_AGE,
      environment: makeEnvironment(shard, props),
    });
    joinVpc(poller, config);
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
    props.key?.grantUse(role, 'dynamodb', 's3', 'secretsmanager', 'sns');
    allowVpc(role, props.config);
    return role;
  }

  #makeScheduleRole(): iam.Role {
    const { account } = Stack.of(this);
    const group = this.scheduleGroup.scheduleGroupArn;
    const role = new iam.Role(this, 'ScheduleRole', {
      description: 'Lets the schedule start the poller',
      assumedBy: new iam.ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': group } },
      }),
    });
    for (const { functionArn } of this.functions)
      allow(role, ['lambda:InvokeFunction'], functionArn);
    return role;
  }

  #makeSchedule(
    shard: number,
    { functionArn: arn }: lambda.Function,
    role: iam.Role,
    { config }: PollerProps,
  ): void {
    // LambdaInvoke would also allow every version and alias of the function.
    const target = {
      arn,
      role,
      retryPolicy: {
        maximumRetryAttempts: RETRIES,
        maximumEventAgeInSeconds: TICK_MAX_AGE.toSeconds(),
      },
    };
    const schedule = new Schedule(this, idOf('Schedule', shard), {
      description: `Starts a run of the poller${partOf(shard, config)}`,
      enabled: config.enabled,
      schedule: ticksOf(shard, config),
      target: { bind: () => target },
      scheduleGroup: this.scheduleGroup,
    });
    // Otherwise its first ticks may come before the permission to invoke.
    schedule.node.addDependency(role);
  }
}

/** Shard 0 has the ids of a stack with one shard: a change of their number replaces nothing. */
function idOf(name: string, shard: number): string {
  return shard === 0 ? name : `${name}${shard}`;
}

function partOf(shard: number, { shards }: StageConfig): string {
  return shards === 1 ? '' : ` (shard ${shard} of ${shards})`;
}

/**
 * When the runs of a shard start. Shards start in different minutes where runs are minutes apart; Scheduler
 * knows no shorter unit. A time that does not divide the hour has no such expression.
 */
function ticksOf(shard: number, { shards, everyMinutes }: StageConfig): ScheduleExpression {
  if (shards === 1 || everyMinutes === 1 || 60 % everyMinutes !== 0) {
    return ScheduleExpression.rate(Duration.minutes(everyMinutes));
  }
  const first = Math.floor((shard * everyMinutes) / shards);
  const step = everyMinutes === 60 ? '' : `/${everyMinutes}`;
  return ScheduleExpression.expression(`cron(${first}${step} * * * ? *)`);
}

function allow(role: iam.Role, actions: string[], resource: string): void {
  role.addToPolicy(new iam.PolicyStatement({ actions, resources: [resource] }));
}

/**
 * MB of each semi-space of the heap's young generation, which has three. The default of 16 MB each took
 * a fifth of a small function's memory for garbage.
 */
function semiSpaceMb({ memoryMb }: StageConfig): number {
  return Math.min(Math.floor(memoryMb / 128), 16);
}

/** The variables that Node, the SDK, Powertools and `functions/settings/settings.ts` read. */
function makeEnvironment(shard: number, props: PollerProps): Record<string, string> {
  const { config } = props;
  return {
    NODE_OPTIONS: `--enable-source-maps --max-semi-space-size=${semiSpaceMb(config)}`,
    POWERTOOLS_SERVICE_NAME: props.serviceName,
    POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
    POWERTOOLS_LOG_LEVEL: config.logLevel,
    ...networkEnvironment(config),
    SITECAST_SHARD: String(shard),
    SITECAST_CONFIG: JSON.stringify(pollerConfig.parse(config)),
    SITECAST_REFRESH_TOKEN_SECRET: props.refreshTokenArn,
    SITECAST_TABLE: props.table.tableName,
    SITECAST_TOPIC_ARN: props.topic.topicArn,
    SITECAST_LARGE_EVENTS_BUCKET: props.largeEvents.bucket.bucketName,
  };
}
