import { Duration } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { pollerConfig } from '../../functions/settings/poller-config.ts';
import { allowNetwork, makeFunction, makeFunctionRole, type Parts } from './make-function.ts';
import { METRICS_NAMESPACE } from './monitoring/metrics.ts';
import { allow } from './permissions.ts';
import { MAX_AGE, Schedules } from './schedules.ts';

export interface PollerProps extends Parts {
  readonly refreshTokenArn: string;
}

/** Exactly the calls of the state store. */
const TABLE_ACTIONS = [
  ...['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem', 'dynamodb:PutItem'],
  ...['dynamodb:Query', 'dynamodb:UpdateItem'],
];

/** For each shard the function that executes one run, and its schedule. Runs never overlap. */
export class Poller extends Construct {
  /** Shared by the shards, as is the group of logs. */
  readonly role: iam.Role;
  /** By shard. */
  readonly functions: readonly lambda.Function[];
  readonly logGroup: LogGroup;
  readonly schedules: Schedules;

  constructor(scope: Construct, id: string, props: PollerProps) {
    super(scope, id);
    const { config } = props;
    const { role, logGroup } = makeFunctionRole(this, 'Permissions of the poller', props);
    this.logGroup = logGroup;
    this.role = role;
    this.#allowWork(props);
    const shards = Array.from({ length: config.shards }, (_, shard) => shard);
    this.functions = shards.map((shard) => this.#makeFunction(shard, props));
    this.schedules = new Schedules(this, 'Schedule', 'Lets the schedule start the poller');
    for (const [shard, target] of this.functions.entries()) {
      this.schedules.add(idOf('Schedule', shard), target, {
        description: `Starts a run of the poller${partOf(shard, config)}`,
        enabled: config.enabled,
        expression: ticksOf(config),
      });
    }
  }

  #makeFunction(shard: number, props: PollerProps): lambda.Function {
    const { config } = props;
    const part = partOf(shard, config);
    return makeFunction(this, idOf('Function', shard), 'poll', {
      description: `Polls the Construction Project Service and publishes changes${part}`,
      role: this.role,
      logGroup: this.logGroup,
      memorySize: config.memoryMb,
      timeout: Duration.seconds(config.timeoutSeconds),
      // The next tick retries a failed run.
      retryAttempts: 0,
      maxEventAge: MAX_AGE,
      network: config,
      environment: makeEnvironment(shard, props),
    });
  }

  #allowWork({ config, table, topic, largeEvents, refreshTokenArn, key }: PollerProps): void {
    allow(this.role, TABLE_ACTIONS, table.tableArn);
    allow(this.role, ['sns:Publish'], topic.topicArn);
    largeEvents.grantPut(this.role);
    allow(this.role, ['secretsmanager:GetSecretValue'], refreshTokenArn);
    key?.grantUse(this.role, 'dynamodb', 's3', 'secretsmanager', 'sns');
    allowNetwork(this.role, config);
  }
}

/** Shard 0 has the ids of a stack with one shard: a change of their number replaces nothing. */
function idOf(name: string, shard: number): string {
  return shard === 0 ? name : `${name}${shard}`;
}

function partOf(shard: number, { shards }: Parts['config']): string {
  return shards === 1 ? '' : ` (shard ${shard} of ${shards})`;
}

function ticksOf({ everyMinutes }: Parts['config']): string {
  return `rate(${everyMinutes} ${everyMinutes === 1 ? 'minute' : 'minutes'})`;
}

/** The variables that Node, Powertools and `functions/settings/settings.ts` read. */
function makeEnvironment(shard: number, props: PollerProps): Record<string, string> {
  const { config } = props;
  // Of each of the young generation's three. The default took a fifth of a small function's memory.
  const semiSpaceMb = Math.min(Math.floor(config.memoryMb / 128), 16);
  return {
    ...config.environment,
    NODE_OPTIONS: `--enable-source-maps --max-semi-space-size=${semiSpaceMb}`,
    POWERTOOLS_SERVICE_NAME: props.serviceName,
    POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
    POWERTOOLS_LOG_LEVEL: config.logLevel,
    SITECAST_SHARD: String(shard),
    SITECAST_CONFIG: JSON.stringify(pollerConfig.parse(config)),
    SITECAST_REFRESH_TOKEN_SECRET: props.refreshTokenArn,
    SITECAST_TABLE: props.table.tableName,
    SITECAST_TOPIC_ARN: props.topic.topicArn,
    SITECAST_LARGE_EVENTS_BUCKET: props.largeEvents.bucket.bucketName,
  };
}
