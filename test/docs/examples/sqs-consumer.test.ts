import type { S3Client } from '@aws-sdk/client-s3';
import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { consumeQueue } from '../../../docs/examples/sqs-consumer.ts';
import { eventOf } from '../../support/samples.ts';

const noS3 = undefined as unknown as S3Client;

let handled: string[];
let deleted: string[];
let stopping: AbortController;

beforeEach(() => {
  handled = [];
  deleted = [];
  stopping = new AbortController();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

/** A queue that delivers one batch, and then stops the consumer. */
function queueOf(...messages: readonly { id: string; group?: string; body?: string }[]): SQSClient {
  let received = 0;
  const send = (command: unknown): Promise<unknown> => {
    if (command instanceof DeleteMessageCommand) {
      const handle = command.input.ReceiptHandle ?? '';
      if (handle === 'undeletable') return Promise.reject(new Error('throttled'));
      deleted.push(handle);
    }
    if (!(command instanceof ReceiveMessageCommand)) return Promise.resolve({});
    if (++received > 1) {
      stopping.abort();
      return Promise.reject(new DOMException('over', 'AbortError'));
    }
    // SQS returns the group only on request.
    const isGroupRequested = command.input.MessageSystemAttributeNames?.includes('MessageGroupId');
    const Messages = messages.map(({ id, group, body = JSON.stringify(eventOf(id)) }) => ({
      MessageId: id,
      ReceiptHandle: id,
      Body: body,
      ...(isGroupRequested && group !== undefined && { Attributes: { MessageGroupId: group } }),
    }));
    return Promise.resolve({ Messages });
  };
  return { send } as unknown as SQSClient;
}

const start = (sqs: SQSClient, fails: (id: string) => boolean = () => false) =>
  consumeQueue({
    sqs,
    s3: noS3,
    bucket: 'large-events',
    queueUrl: 'https://queue.example',
    signal: stopping.signal,
    handle: ({ partitionkey }) => {
      if (fails(partitionkey)) return Promise.reject(new Error('disk full'));
      return Promise.resolve(handled.push(partitionkey));
    },
  });

describe('the SQS consumer of the guide', () => {
  it('deletes handled messages only', async () => {
    await start(queueOf({ id: 'a' }, { id: 'b' }, { id: 'c', body: '{bad' }), (id) => id === 'a');
    expect(handled).toEqual(['b']);
    expect(deleted).toEqual(['b']);
  });

  it('does not let a FIFO group overtake its failed event', async () => {
    const queue = queueOf(
      { id: 'a', group: 'g' },
      { id: 'b', group: 'h' },
      { id: 'c', group: 'g' },
    );
    await start(queue, (id) => id === 'a');
    expect(handled).toEqual(['b']);
  });
});
