import type { Duration } from 'aws-cdk-lib';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as logs from 'aws-cdk-lib/aws-logs';
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type * as sqs from 'aws-cdk-lib/aws-sqs';

/** How a metric is read. */
export interface MetricReading {
  /** Default: 5 minutes. */
  readonly period?: Duration;
  /** Default: the sum of a count, the maximum of all others. */
  readonly statistic?: string;
  readonly label?: string;
}

/** The resources of one webhook. */
export interface WebhookResources {
  /** Events that wait for their first or next attempt. */
  readonly queue: sqs.IQueue;
  readonly deadLetters: sqs.IQueue;
  /** Signs the requests: give it to the receiver. */
  readonly secret: secretsmanager.ISecret;
  readonly function: lambda.IFunction;
  readonly logGroup: logs.ILogGroup;
}
