import type { RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { StageConfig } from '../config/config.ts';
import type { LargeEvents } from './large-events.ts';
import type { OwnKey } from './permissions.ts';

/** What the functions of a notifier share. */
export interface Parts {
  /** Name in logs, and the dimension `service` of the metrics: `sitecast-dev`. */
  readonly serviceName: string;
  readonly config: StageConfig;
  readonly table: ITable;
  readonly topic: ITopic;
  readonly largeEvents: LargeEvents;
  /** Whether data and logs outlive the stack. */
  readonly removalPolicy: RemovalPolicy;
  /** Encrypts all of it, if it is set. */
  readonly key?: OwnKey | undefined;
}
