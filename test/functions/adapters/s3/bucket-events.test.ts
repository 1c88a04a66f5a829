import { S3Client } from '@aws-sdk/client-s3';
import { beforeEach, expect, it } from 'vitest';
import { BucketEvents } from '../../../../functions/adapters/s3/bucket-events.ts';
import { S3ClaimCheck } from '../../../../functions/adapters/s3/claim-check.ts';
import { SitecastError } from '../../../../functions/core/model/errors.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../../../infra/local/embedded/endpoints.ts';
import { deadAddress, rejection } from '../../../support/local-server.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();
const SETTINGS = { region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS };
const EVENT = JSON.stringify({ id: 'e1', text: '🏗'.repeat(1000) });
let bucket: string;
let events: BucketEvents;
let dataref: string;

beforeEach(async () => {
  bucket = await aws.createBucket();
  const { s3: client } = aws.clients;
  dataref = await new S3ClaimCheck({ client, bucket }).put('e1', EVENT);
  events = new BucketEvents(bucket, client);
});

it('an event is read up to the size', async () => {
  const bytes = Buffer.byteLength(EVENT);
  expect(await events.read(dataref, bytes)).toBe(EVENT);
  expect(await events.read(dataref, bytes - 1)).toBeUndefined();
});

it('anyone reads it at a pre-signed address', async () => {
  const address = await events.presign(dataref);
  expect(await (await fetch(address)).text()).toBe(EVENT);
  expect(Object.fromEntries(new URL(address).searchParams)).toMatchObject({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Expires': '259200',
    'X-Amz-SignedHeaders': 'host',
  });
});

it.each([['s3://another-bucket/events/e1.json', 'is not in the bucket']])(
  '%s %s',
  async (address, expected) => {
    await expect(events.read(address, 1e6)).rejects.toThrow(expected);
  },
);

it('a bucket that gives no answer is told, with the event and the reason', async () => {
  const endpoint = await deadAddress();
  const client = new S3Client({ ...SETTINGS, endpoint, maxAttempts: 1 });
  const error = await rejection(new BucketEvents(bucket, client).read(dataref, 1e6));
  expect(error).toBeInstanceOf(SitecastError);
  expect(String(error)).toContain('ECONNREFUSED');
  expect(String(error)).toContain(dataref);
});
