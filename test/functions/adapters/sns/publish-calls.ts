import type {
  BatchResultErrorEntry,
  PublishBatchCommandInput,
  PublishBatchCommandOutput,
  SNSClient,
} from '@aws-sdk/client-sns';
import type { ChangeEvent, ClaimCheckEvent } from '../../../../functions/core/contract/events.ts';
import type { TestAws } from '../../../support/aws.ts';
import { scriptCalls, type Answer } from '../../../support/script-calls.ts';

type AnyEvent = ChangeEvent | ClaimCheckEvent;

/** An error fails a whole call, an entry only its message. */
export type Refusal = Error | Omit<BatchResultErrorEntry, 'Id'> | undefined;

/** Lets a test answer the publish calls of a client. */
export function onPublish(
  client: SNSClient,
  answer: Answer<PublishBatchCommandInput, PublishBatchCommandOutput>,
): void {
  scriptCalls(client, 'PublishBatchCommand', answer);
}

/** The entity's id, with `→` before it for a claim check. */
export function eventName(event: AnyEvent): string {
  return `${'dataref' in event ? '→' : ''}${event.partitionkey}`;
}

/**
 * Refuses messages; the embedded topic accepts the others.
 *
 * @returns the names of the messages, call by call.
 */
export function refuseMessages(
  client: SNSClient,
  refusalOf: (name: string, call: readonly string[], callCount: number) => Refusal,
  nameOf: (event: AnyEvent) => string = eventName,
): string[][] {
  const calls: string[][] = [];
  onPublish(client, async (input, proceed) => {
    const entries = input.PublishBatchRequestEntries ?? [];
    const call = entries.map(({ Message = '' }) => nameOf(JSON.parse(Message) as AnyEvent));
    calls.push(call);
    const refusals = call.map((name) => refusalOf(name, call, calls.length));
    const Failed = refusals.flatMap((refusal, i) => {
      if (refusal instanceof Error) throw refusal;
      return refusal === undefined ? [] : [{ ...refusal, Id: entries[i]?.Id }];
    });
    const accepted = entries.filter((_, i) => refusals[i] === undefined);
    if (accepted.length === 0) return { Failed, $metadata: {} };
    return { ...(await proceed({ ...input, PublishBatchRequestEntries: accepted })), Failed };
  });
  return calls;
}

export function awsError(name: string, message: string, httpStatusCode: number): Error {
  const $fault = httpStatusCode < 500 ? 'client' : 'server';
  return Object.assign(new Error(message), { name, $fault, $metadata: { httpStatusCode } });
}

/** Takes all events out of a queue, in its order. */
export async function drainEvents(aws: TestAws, queueUrl: string): Promise<AnyEvent[]> {
  return (await aws.drain(queueUrl)).map(({ Body = '' }) => JSON.parse(Body) as AnyEvent);
}

/** Records the size of each call as SNS counts it. */
export function recordBytes(client: SNSClient): number[] {
  const sizes: number[] = [];
  onPublish(client, (input, proceed) => {
    const texts = (input.PublishBatchRequestEntries ?? []).flatMap(
      ({ Message = '', MessageAttributes = {} }) => [
        Message,
        ...Object.entries(MessageAttributes).flatMap(
          ([name, { DataType = '', StringValue = '' }]) => [name, DataType, StringValue],
        ),
      ],
    );
    sizes.push(Buffer.byteLength(texts.join('')));
    return proceed(input);
  });
  return sizes;
}
