import { createHash, createHmac } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { BucketEvents } from '../../../../functions/adapters/s3/bucket-events.ts';
import { S3ClaimCheck } from '../../../../functions/adapters/s3/claim-check.ts';
import {
  makeBucketAccess,
  type BucketAccess,
} from '../../../../functions/adapters/s3/signed-fetch.ts';
import { SitecastError } from '../../../../functions/core/model/errors.ts';
import { deadAddress, rejection, serve } from '../../../support/local-server.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();
const EVENT = JSON.stringify({ id: 'e1', text: '🏗'.repeat(1000) });
let access: BucketAccess;
let dataref: string;

beforeEach(async () => {
  access = aws.bucketAccess(await aws.createBucket());
  dataref = await new S3ClaimCheck(access).put('e1', EVENT);
});

it('an event is read up to the size', async () => {
  const events = new BucketEvents(access);
  const bytes = Buffer.byteLength(EVENT);
  expect(await events.read(dataref, bytes)).toBe(EVENT);
  expect(await events.read(dataref, bytes - 1)).toBeUndefined();
});

it('anyone reads it at a pre-signed address', async () => {
  const address = await new BucketEvents(access).presign(dataref);
  expect(await (await fetch(address)).text()).toBe(EVENT);
  expect(Object.fromEntries(new URL(address).searchParams)).toMatchObject({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Expires': '259200',
    'X-Amz-SignedHeaders': 'host',
  });
});

it('the signature of an address is calculated as S3 calculates it', async () => {
  const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  const bucket = makeBucketAccess('examplebucket', {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_SESSION_TOKEN: 'a+b/c==',
  });
  const address = new URL(await bucket.presign(`${bucket.url}/events/a.json`, 60));
  const { host, pathname, searchParams } = address;
  expect(host).toBe('examplebucket.s3.us-east-1.amazonaws.com');
  expect(searchParams.get('X-Amz-Security-Token')).toBe('a+b/c==');
  const signature = searchParams.get('X-Amz-Signature');
  searchParams.delete('X-Amz-Signature');
  const query = [...searchParams].map((pair) => pair.map(encodeURIComponent).join('=')).sort();
  const request = `GET\n${pathname}\n${query.join('&')}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`;
  const hash = createHash('sha256').update(request).digest('hex');
  const time = searchParams.get('X-Amz-Date') ?? '';
  const scope = [time.slice(0, 8), 'us-east-1', 's3', 'aws4_request'];
  const hmac = (key: Buffer | string, text: string) =>
    createHmac('sha256', key).update(text).digest();
  const key = scope.reduce<Buffer | string>(hmac, `AWS4${secret}`);
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), hash].join('\n');
  expect(signature).toBe(hmac(key, text).toString('hex'));
});

it.each([
  ['s3://another-bucket/events/e1.json', 'is not in the bucket'],
  ['https://169.254.169.254/events/e1.json', 'is not in the bucket'],
])('%s %s', async (address, expected) => {
  await expect(new BucketEvents(access).read(address, 1e6)).rejects.toThrow(expected);
});

it('an event that is gone is told', async () => {
  const gone = dataref.replace('e1.json', 'e2.json');
  await expect(new BucketEvents(access).read(gone, 1e6)).rejects.toThrow(
    `the bucket answered 404 NoSuchKey for ${gone}`,
  );
});

it('a bucket that gives no answer is told, with the event and the reason', async () => {
  const url = `${await deadAddress()}/large`;
  const events = new BucketEvents({ ...access, bucket: 'large', url });
  const error = (await rejection(events.read('s3://large/events/e1.json', 1e6))) as Error;
  expect(error).toBeInstanceOf(SitecastError);
  expect(error.message).toMatch(
    /^the bucket gave no answer for s3:\/\/large\/events\/e1\.json: ECONNREFUSED connect /,
  );
});

it('a body that breaks off is told, with the event and the reason', async () => {
  const { url } = await serve((response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('abc', () => response.socket?.destroy());
  });
  const events = new BucketEvents({ ...access, bucket: 'large', url });
  await expect(events.read('s3://large/events/e1.json', 1e6)).rejects.toThrow(
    'the bucket gave no answer for s3://large/events/e1.json: UND_ERR_SOCKET ',
  );
});
