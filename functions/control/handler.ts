import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { DynamoDbStore } from '../adapters/dynamodb/state-store.ts';
import { readObject } from '../adapters/s3/read-object.ts';
import { makeBucketAccess } from '../adapters/s3/signed-fetch.ts';
import { redactText, safeError } from '../adapters/shared/redact.ts';
import { SqsQuarantineQueue } from '../adapters/sqs/quarantine-queue.ts';
import { makeCatalog } from '../core/model/resource-catalog.ts';
import { parseControlSettings } from '../settings/settings.ts';
import { control, type ControlContext } from './control.ts';
import type { ControlAnswer } from './protocol.ts';

const logger = new Logger();

/** Commands that change nothing, and may tell what is not for the log. */
const READS: ReadonlySet<string> = new Set(['status', 'quarantine-list', 'quarantine-show']);

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
    if ('error' in answer) logger.warn('A request was refused', { request, ...answer.error });
    else if (!READS.has(answer.command)) logger.info('A command was placed', { ...answer });
    return withoutSecrets(answer);
  } catch (error) {
    logger.error('A request failed', safeError(error));
    throw safeError(error);
  }
}

/** A cause may quote an answer of the service. */
function withoutSecrets(answer: ControlAnswer): ControlAnswer {
  if (!('lists' in answer)) return answer;
  const lists = answer.lists.map((list) =>
    list.cause === undefined ? list : { ...list, cause: redactText(list.cause) },
  );
  return { ...answer, lists };
}

function wire(): ControlContext {
  const settings = parseControlSettings(process.env);
  const bucket = makeBucketAccess(settings.largeEventsBucket, process.env);
  return {
    store: new DynamoDbStore({ client: new DynamoDBClient(), tableName: settings.table }),
    queue: new SqsQuarantineQueue({
      client: new SQSClient({ useQueueUrlAsEndpoint: false }),
      queueUrl: settings.quarantineUrl,
      readCopy: (address) => readObject(bucket, address),
    }),
    catalog: makeCatalog(settings),
    now: Date.now,
    random: Math.random,
  };
}
