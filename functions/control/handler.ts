import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { QuarantineRecords } from '../adapters/dynamodb/quarantine.ts';
import { makeDynamoDbStore } from '../adapters/dynamodb/state-store.ts';
import { Table } from '../adapters/dynamodb/table.ts';
import { WebhookRecords } from '../adapters/dynamodb/webhooks.ts';
import { safeError } from '../adapters/shared/redact.ts';
import { requestHandler } from '../adapters/shared/request-handler.ts';
import { SqsWebhookQueues } from '../adapters/sqs/webhook-queues.ts';
import { makeCatalog } from '../core/model/resource-catalog.ts';
import type { LogFields } from '../core/ports/telemetry.ts';
import { parseControlSettings } from '../settings/settings.ts';
import { control } from './control.ts';
import type { ControlContext } from './ports.ts';
import type { ControlAnswer } from './protocol.ts';

const logger = new Logger();

/** Commands that change nothing. Their answers may hold entities, which the log must not. */
const READS: ReadonlySet<string> = new Set([
  'status',
  'quarantine-list',
  'quarantine-show',
  'webhook-list',
  'webhook-attempts',
]);

/** Kept for the next invocations of the process. */
let wired: ControlContext | undefined;

/**
 * Answers a request of an operator, a `ControlRequest`. Invoked through AWS: a trail that records
 * data events notes who asked.
 *
 * @returns a refusal if the operator can mend the request.
 * @throws the {@link safeError} of any other error, after logging it.
 */
export async function handler(request: unknown, context: Context): Promise<ControlAnswer> {
  logger.addContext(context);
  try {
    wired ??= wire();
    const answer = await control(request, wired);
    if ('error' in answer) {
      const fields: LogFields = { request, refusal: answer.error };
      logger.warn('A request was refused', fields);
    } else if (!READS.has(answer.command)) {
      const fields: LogFields = { ...answer };
      logger.info('A command was applied', fields);
    }
    return answer;
  } catch (error) {
    logger.error('A request failed', safeError(error));
    throw safeError(error);
  }
}

/** The clients of S3 and Lambda are loaded with their first call: few requests need them. */
function wire(): ControlContext {
  const settings = parseControlSettings(process.env);
  const options = { client: new DynamoDBClient({ requestHandler }), tableName: settings.table };
  const table = new Table(options);
  const sqs = new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false });
  return {
    store: makeDynamoDbStore(options),
    quarantine: new QuarantineRecords(table, async (address) => {
      const { makeS3Client, readObject } = await import('../adapters/s3/read-object.ts');
      return readObject(makeS3Client(), address);
    }),
    catalog: makeCatalog(settings),
    shardCount: settings.shards,
    webhooks: {
      deployed: settings.webhooks,
      records: new WebhookRecords(table),
      queues: new SqsWebhookQueues(sqs),
      mappingOf: async ({ functionName }) => {
        const { LambdaMapping } = await import('../adapters/lambda/event-source-mapping.ts');
        return new LambdaMapping(functionName);
      },
    },
    now: Date.now,
  };
}
