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
});

function record(messageId: string, body: string): SQSRecord {
  return {
    messageId,
    body,
    receiptHandle: messageId,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: 'sns',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:changes',
    awsRegion: 'us-east-1',
  };
}
