import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { pollerConfig } from '../../functions/settings/poller-config.ts';
import type { StageConfig } from '../config/config.ts';
import { codeOf, HANDLER } from './function-code.ts';
import type { LargeEvents } from './large-events.ts';
import type { OwnKey } from './own-key.ts';

export interface ControlProps {
  readonly serviceName: string;
  readonly config: StageConfig;
  readonly table: ITable;
  readonly quarantine: IQueue;
  /** Its bucket has the copies of quarantined items. */
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

  constructor(scope: Construct, id: string, props: ControlProps) {
    super(scope, id);
    const { config, table, quarantine, largeEvents, key, removalPolicy, serviceName } = props;
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: config.logRetentionDays,
      removalPolicy,
      ...(key && { encryptionKey: key.key }),
    });
    const role = new iam.Role(this, 'Role', {
      description: "Permissions of the operators' commands",
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    });
    this.logGroup.grantWrite(role);
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem', 'dynamodb:Query'],
        resources: [table.tableArn],
      }),
    );
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: [
          'sqs:ChangeMessageVisibility',
          'sqs:DeleteMessage',
          'sqs:GetQueueAttributes',
          'sqs:ReceiveMessage',
        ],
        resources: [quarantine.queueArn],
      }),
    );
    largeEvents.grantReadCopies(role);
    key?.grantUse(role, 'dynamodb');
    key?.grantRead(role, 's3', 'sqs');
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
      environment: {
        ...(config.useFipsEndpoints && { AWS_USE_FIPS_ENDPOINT: 'true' }),
        ...(config.useDualStackEndpoints && { AWS_USE_DUALSTACK_ENDPOINT: 'true' }),
        SITECAST_CONFIG: JSON.stringify(pollerConfig.parse(config)),
        SITECAST_TABLE: table.tableName,
        SITECAST_LARGE_EVENTS_BUCKET: largeEvents.bucket.bucketName,
        SITECAST_QUARANTINE_URL: quarantine.queueUrl,
        POWERTOOLS_SERVICE_NAME: `${serviceName}-control`,
        NODE_OPTIONS: '--enable-source-maps',
      },
    });
  }
}
