import {
  ProvisionedThroughputExceededException,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { scriptCalls } from './script-calls.ts';

const WRITES = ['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand'];
const BATCHES_AND_READS = ['BatchWriteItemCommand', 'BatchGetItemCommand', 'QueryCommand'];

/** What happens to a call. Asked for each. */
export interface Spoiling {
  /** Whether the table throttles the whole call with this input. */
  readonly isThrottled: (input: object) => boolean;
  /** Whether the first answer to a write is lost. The SDK sends the call again. */
  readonly isAnswerLost: () => boolean;
}

/** Throttles calls of a client and loses answers, as a table under load on a bad line does. */
export function spoilTable(client: DynamoDBClient, { isThrottled, isAnswerLost }: Spoiling): void {
  for (const name of [...WRITES, ...BATCHES_AND_READS]) {
    scriptCalls(
      client,
      name,
      async (input: object, proceed: (input: object) => Promise<object>) => {
        if (isThrottled(input)) throw throttled();
        if (WRITES.includes(name) && isAnswerLost()) await proceed(input);
        return proceed(input);
      },
    );
  }
}

/** The error of a call of which the table throttles every item. */
export function throttled(): ProvisionedThroughputExceededException {
  const $metadata = { httpStatusCode: 400 };
  return new ProvisionedThroughputExceededException({ message: 'throttled', $metadata });
}
