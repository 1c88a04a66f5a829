import type { Message } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSMessageAttributes, SQSRecordAttributes } from 'aws-lambda';
import * as z from 'zod';
import { LOCAL_REGION } from '../embedded/endpoints.ts';

/** Makes the event with which Lambda hands messages of a queue to a function. */
export function makeSqsEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return {
    Records: messages.map((message) => ({
      messageId: message.MessageId ?? '',
      receiptHandle: message.ReceiptHandle ?? '',
      body: message.Body ?? '',
      // The receiver asks for all of them.
      attributes: message.Attributes as unknown as SQSRecordAttributes,
      messageAttributes: attributesOf(message),
      md5OfBody: message.MD5OfBody ?? '',
      ...(message.MD5OfMessageAttributes !== undefined && {
        md5OfMessageAttributes: message.MD5OfMessageAttributes,
      }),
      eventSource: 'aws:sqs',
      eventSourceARN: queueArn,
      awsRegion: LOCAL_REGION,
    })),
  };
}

function attributesOf({ MessageAttributes = {} }: Message): SQSMessageAttributes {
  return Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, value]) => [
      name,
      {
        ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
        ...(value.BinaryValue && {
          binaryValue: Buffer.from(value.BinaryValue).toString('base64'),
        }),
        stringListValues: [],
        binaryListValues: [],
        // Such as `String.Array` of SNS, which the type lacks.
        dataType: value.DataType as 'String',
      },
    ]),
  );
}

const Response = z.nullish(
  z.object({
    batchItemFailures: z.nullish(z.array(z.object({ itemIdentifier: z.string().min(1) }))),
  }),
);

/**
 * Finds the messages that a function did not work, in its answer with `ReportBatchItemFailures`. As on
 * Lambda an empty answer means success, and one that is invalid or names other messages that all failed.
 */
export function findFailures(answer: unknown, messages: readonly Message[]): readonly Message[] {
  const parsed = Response.safeParse(answer);
  if (!parsed.success) return messages;
  const ids = parsed.data?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier) ?? [];
  const failures = messages.filter(({ MessageId = '' }) => ids.includes(MessageId));
  return failures.length === new Set(ids).size ? failures : messages;
}
