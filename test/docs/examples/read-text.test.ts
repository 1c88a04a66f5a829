import type { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { readTextFrom } from '../../../docs/examples/read-text.ts';

let requested: unknown[];
const s3 = {
  send: ({ input }: GetObjectCommand) => {
    requested.push(input);
    return Promise.resolve({ Body: { transformToString: () => Promise.resolve('text') } });
  },
} as unknown as S3Client;

beforeEach(() => {
  requested = [];
});

describe('the reader of large events of the guide', () => {
  it("reads the notifier's bucket", async () => {
    expect(await readTextFrom(s3, 'ours')('s3://ours/events/1.json')).toBe('text');
    expect(requested).toEqual([{ Bucket: 'ours', Key: 'events/1.json' }]);
  });

  it.each([
    's3://theirs/events/1.json',
    's3://ours.theirs/events/1.json',
    's3://ours@theirs/events/1.json',
    'https://ours/events/1.json',
  ])('refuses %s, and requests nothing', async (dataref) => {
    await expect(readTextFrom(s3, 'ours')(dataref)).rejects.toThrow(dataref);
    expect(requested).toEqual([]);
  });
});
