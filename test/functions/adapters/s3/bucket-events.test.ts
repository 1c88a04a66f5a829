import { beforeEach, expect, it } from 'vitest';
import { BucketEvents } from '../../../../functions/adapters/s3/bucket-events.ts';
import { S3ClaimCheck } from '../../../../functions/adapters/s3/claim-check.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();

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
