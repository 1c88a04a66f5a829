import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { makeHandler } from '../../../docs/examples/lambda-consumer.ts';
import { eventOf } from '../../support/samples.ts';

const noS3 = undefined as unknown as S3Client;

describe('the Lambda consumer of the guide', () => {
  it('handles each event of a batch, raw or in an envelope', async () => {
    const handled: string[] = [];
    const handler = makeHandler(noS3, 'large-events', ({ subject }) =>
      Promise.resolve(handled.push(subject)),
    );
    const envelope = { Type: 'Notification', Message: JSON.stringify(eventOf('b')) };
    const response = await handler({
      Records: [record('1', JSON.stringify(eventOf('a'))), record('2', JSON.stringify(envelope))],
    });
    expect(response).toEqual({ batchItemFailures: [] });
    expect(handled).toEqual(['/projects/p1/floorplans/a', '/projects/p1/floorplans/b']);
  });

  it('returns only the failed messages', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const handler = makeHandler(noS3, 'large-events', ({ partitionkey }) =>
      partitionkey === 'b' ? Promise.reject(new Error('disk full')) : Promise.resolve(),
    );
    const Records = ['a', 'b', 'c'].map((id) => record(id, JSON.stringify(eventOf(id))));
    const response = await handler({ Records: [...Records, record('d', 'no event')] });
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: 'b' }, { itemIdentifier: 'd' }]);
  });

  it('does not let a FIFO group overtake its failed event', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const handled: string[] = [];
    const handler = makeHandler(noS3, 'large-events', async ({ partitionkey, time }) => {
      if (partitionkey === 'a' && time === timeAt(1)) throw new Error('not now');
      return Promise.resolve(handled.push(`${partitionkey} ${time}`));
    });
    const Records = [
      record('1', JSON.stringify(eventOf('a', { sequence: timeAt(1), time: timeAt(1) })), 'a'),
      record('2', JSON.stringify(eventOf('b', { sequence: timeAt(1), time: timeAt(1) })), 'b'),
      record('3', JSON.stringify(eventOf('a', { sequence: timeAt(2), time: timeAt(2) })), 'a'),
    ];
    expect(await handler({ Records })).toEqual({
      batchItemFailures: [{ itemIdentifier: '1' }, { itemIdentifier: '3' }],
    });
    expect(handled).toEqual([`b ${timeAt(1)}`]);
  });
});

function timeAt(second: number): string {
  return new Date(second * 1000).toISOString();
}

function record(messageId: string, body: string, group?: string): SQSRecord {
  return {
    messageId,
    body,
    receiptHandle: messageId,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: 'sns',
      ApproximateFirstReceiveTimestamp: '0',
      ...(group !== undefined && { MessageGroupId: group }),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:changes',
    awsRegion: 'us-east-1',
  };
}
