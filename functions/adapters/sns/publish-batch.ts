import { PublishBatchCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { RetryPolicy } from '../shared/retry.ts';
import { whileTimeRemains } from '../shared/timeout.ts';
import { faultOfCall, faultOfEntry, type Fault } from './classify-failure.ts';
import type { Message } from './message.ts';

/** A message that was not accepted. */
export interface Failure {
  readonly message: Message;
  readonly error: Error;
  /** `call`: a call with several messages failed; each of them may be accepted alone. */
  readonly fault: Fault | 'call';
}

/**
 * Sends messages in one call.
 *
 * @returns the messages that were not accepted.
 */
export async function publishBatch(
  client: SNSClient,
  topicArn: string,
  messages: readonly Message[],
  { leftMs }: Pick<RetryPolicy, 'leftMs'>,
): Promise<Failure[]> {
  const batch = new PublishBatchCommand({
    TopicArn: topicArn,
    PublishBatchRequestEntries: messages.map(({ entry }, id) => ({ ...entry, Id: String(id) })),
  });
  try {
    const answer = await whileTimeRemains(leftMs, (options) => client.send(batch, options));
    const accepted = new Set(answer.Successful?.map(({ Id }) => Id));
    const failed = new Map(answer.Failed?.map((entry) => [entry.Id, entry]));
    return messages.flatMap((message, id) =>
      accepted.has(String(id)) ? [] : [{ message, ...faultOfEntry(failed.get(String(id))) }],
    );
  } catch (error) {
    const callFault = faultOfCall(error as Error);
    const isClear = messages.length === 1 || callFault === 'transient' || callFault === 'topic';
    const fault = isClear ? callFault : 'call';
    return messages.map((message) => ({ message, error: error as Error, fault }));
  }
}
