import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { QuarantineRecords } from '../adapters/dynamodb/quarantine.ts';
import { DynamoDbStore } from '../adapters/dynamodb/state-store.ts';
import { Table } from '../adapters/dynamodb/table.ts';
import { WebhookRecords } from '../adapters/dynamodb/webhook-items.ts';
import { loadOnce } from '../adapters/shared/load-once.ts';
import { redactText, safeError } from '../adapters/shared/redact.ts';
import { requestHandler } from '../adapters/shared/request-handler.ts';
import { SqsWebhookQueues } from '../adapters/sqs/webhook-queues.ts';
import { makeCatalog } from '../core/model/resource-catalog.ts';
import type { LogFields } from '../core/ports/telemetry.ts';
import { parseControlSettings } from '../settings/settings.ts';
import { control, type ControlContext } from './control.ts';
import type { OperatedMapping } from './ports.ts';
import type { ControlAnswer } from './protocol.ts';

const logger = new Logger();

/** Commands that change nothing, and may tell what is not for the log. */
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
 * Answers a request of an operator, a `ControlRequest`. Invoked through AWS: a trail that records data events
 * notes who asked.
 *
 * @returns a refusal for what the operator can mend.
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
      logger.info('A command was carried out', fields);
    }
    return withoutSecrets(answer);
  } catch (error) {
    logger.error('A request failed', safeError(error));
    throw safeError(error);
  }
}

/** A cause may quote an answer of the service. */
function withoutSecrets(answer: ControlAnswer): ControlAnswer {
  if (!('lists' in answer)) return answer;
  const withoutSecret = <T extends { readonly cause?: string }>(each: T): T =>
    each.cause === undefined ? each : { ...each, cause: redactText(each.cause) };
  return {
    ...answer,
    lists: answer.lists.map(withoutSecret).map((list) => ({
      ...list,
      ...(list.job && { job: withoutSecret(list.job) }),
    })),
    jobs: answer.jobs.map((jobs) => ({ ...jobs, problems: jobs.problems.map(withoutSecret) })),
  };
}

function wire(): ControlContext {
  const settings = parseControlSettings(process.env);
  const bucket = loadOnce(async () => {
    const { objectReader } = await import('../adapters/s3/read-object.ts');
    return objectReader();
  });
  const options = { client: new DynamoDBClient({ requestHandler }), tableName: settings.table };
  const table = new Table(options);
  const sqs = new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false });
  return {
    store: new DynamoDbStore(options),
    quarantine: new QuarantineRecords(table, async (address) => (await bucket())(address)),
    catalog: makeCatalog(settings),
    shardCount: settings.shards,
    webhooks: {
      webhooks: settings.webhooks,
      records: new WebhookRecords(table),
      queues: new SqsWebhookQueues(sqs),
      mappingOf: ({ functionName }) => mappingOf(functionName),
    },
    now: Date.now,
    random: Math.random,
  };
}

/** The client of Lambda is loaded with its first call: few requests are about webhooks. */
function mappingOf(functionName: string): OperatedMapping {
  const load = async () => {
    const { LambdaMapping } = await import('../adapters/lambda/event-source-mapping.ts');
    return new LambdaMapping(functionName);
  };
  return {
    state: async () => (await load()).state(),
    setEnabled: async (isEnabled) => (await load()).setEnabled(isEnabled),
  };
}
