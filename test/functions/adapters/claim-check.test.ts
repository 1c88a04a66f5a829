import type { PutObjectCommandInput, PutObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { S3ClaimCheck } from '../../../functions/adapters/claim-check.ts';
import { ClaimCheckFailed } from '../../../functions/core/errors.ts';
import { startTestAws, type TestAws } from '../../support/aws.ts';
import { endedPermit } from '../../support/samples.ts';
import { scriptCalls } from '../../support/script-calls.ts';

const retry = { maxTries: 3, baseDelayMs: 1, maxDelayMs: 2 };

let aws: TestAws;
let client: S3Client;
let bucket: string;
let claimCheck: S3ClaimCheck;

beforeAll(async () => {
  aws = await startTestAws();
});
afterAll(() => aws.close());
beforeEach(async () => {
  client = aws.freshClients().s3;
  bucket = await aws.createBucket();
  claimCheck = new S3ClaimCheck({ client, bucket, retry });
});

/** Fails puts as told; the others reach the embedded S3. @returns the keys, call by call. */
function failPuts(errorOf: (call: number) => Error | undefined): string[] {
  const keys: string[] = [];
  scriptCalls<PutObjectCommandInput, PutObjectCommandOutput>(
    client,
    'PutObjectCommand',
    (input, proceed) => {
      const error = errorOf(keys.push(input.Key ?? ''));
      if (error !== undefined) throw error;
      return proceed(input);
    },
  );
  return keys;
}

const awsError = (name: string, httpStatusCode: number, message = name): Error =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });

test('an event is kept as JSON under its id, and the address says where', async () => {
  const json = JSON.stringify({ name: 'Größe 🏗', empty: '' });
  expect(await claimCheck.put('af6d', json)).toBe(`s3://${bucket}/events/af6d.json`);
  expect(await aws.read(`s3://${bucket}/events/af6d.json`)).toEqual({
    text: json,
    type: 'application/json',
  });
});

test('an event that is kept again replaces itself', async () => {
  const dataref = await claimCheck.put('af6d', '{"recordedtime":1}');
  expect(await claimCheck.put('af6d', '{"recordedtime":2}')).toBe(dataref);
  expect((await aws.read(dataref)).text).toBe('{"recordedtime":2}');
});

test('an event of ten megabytes is kept', async () => {
  const json = JSON.stringify('x'.repeat(10_000_000));
  const dataref = await claimCheck.put('huge', json);
  expect((await aws.read(dataref)).text).toHaveLength(json.length);
});

test.each([
  ['throttled', awsError('SlowDown', 503)],
  ['too many', awsError('TooManyRequestsException', 429)],
  ['a fault of S3', awsError('InternalError', 500)],
  ['a time-out that counts as ours', awsError('RequestTimeout', 400)],
  ['another put of the same key', awsError('OperationAborted', 409)],
  ['without an answer', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
])('what may pass is tried again: %s', async (_, error) => {
  const keys = failPuts((call) => (call <= 2 ? error : undefined));
  expect(await claimCheck.put('a', '{}')).toBe(`s3://${bucket}/events/a.json`);
  expect(keys).toHaveLength(3);
});

test('what does not pass after all tries fails with the last words', async () => {
  const keys = failPuts(() => awsError('SlowDown', 503, 'reduce your rate'));
  const kept = claimCheck.put('a', '{}');
  await expect(kept).rejects.toThrow(ClaimCheckFailed);
  await expect(kept).rejects.toThrow(
    `Bucket ${bucket} did not take events/a.json: SlowDown: reduce your rate`,
  );
  await expect(kept).rejects.toHaveProperty('hint', expect.stringContaining('next run'));
  expect(keys).toHaveLength(retry.maxTries);
});

test.each([
  ['the rights', awsError('AccessDenied', 403)],
  ['the token of the role', awsError('ExpiredToken', 400)],
])('a fault in %s fails at once: that is for the operator', async (_, error) => {
  const keys = failPuts(() => error);
  const kept = claimCheck.put('a', '{}');
  await expect(kept).rejects.toThrow(ClaimCheckFailed);
  await expect(kept).rejects.toHaveProperty('hint', expect.stringContaining('s3:PutObject'));
  expect(keys).toHaveLength(1);
});

test('a bucket that is not there fails at once, and is named', async () => {
  claimCheck = new S3ClaimCheck({ client, bucket: `${bucket}-gone`, retry });
  const keys = failPuts(() => undefined);
  const kept = claimCheck.put('a', '{}');
  await expect(kept).rejects.toThrow(`Bucket ${bucket}-gone did not take`);
  await expect(kept).rejects.toThrow('NoSuchBucket');
  expect(keys).toHaveLength(1);
});

test('nothing is kept without a permit that holds, and its loss is told', async () => {
  const keys = failPuts(() => undefined);
  const { permit, loss } = endedPermit();
  await expect(claimCheck.put('a', '{}', permit)).rejects.toBe(loss);
  expect(keys).toEqual([]);
});

test('only the first line of what AWS says is shown, since others can repeat signed headers', async () => {
  const words = 'The signature does not match.\nx-amz-security-token:SECRET';
  failPuts(() => awsError('SignatureDoesNotMatch', 403, words));
  const error = await claimCheck.put('a', '{}').catch((failure: unknown) => failure);
  expect((error as Error).message).toContain('The signature does not match.');
  expect((error as Error).message).not.toContain('SECRET');
});
