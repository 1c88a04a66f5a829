import { beforeEach, expect, it } from 'vitest';
import { S3ClaimCheck } from '../../../../functions/adapters/s3/claim-check.ts';
import type { SignedFetch } from '../../../../functions/adapters/s3/signed-fetch.ts';
import { ClaimCheckFailedError } from '../../../../functions/core/model/errors.ts';
import { endedGuard } from '../../../support/samples.ts';
import { testAws } from '../../../support/test-aws.ts';

const retry = { maxTries: 3, baseDelayMs: 1, maxDelayMs: 2 };

const aws = testAws();
let bucket: string;
let claimCheck: S3ClaimCheck;

beforeEach(async () => {
  bucket = await aws.createBucket();
  claimCheck = new S3ClaimCheck({ ...aws.bucketAccess(bucket), retry });
});

type Fault = Error | Response;

/** Fails puts as told; the others reach the embedded S3. @returns the URLs, call by call. */
function failPuts(faultOf: (call: number) => Fault | undefined, of = bucket): string[] {
  const urls: string[] = [];
  const access = aws.bucketAccess(of);
  const fetch: SignedFetch = (url, init) => {
    const fault = faultOf(urls.push(url));
    if (fault instanceof Error) return Promise.reject(fault);
    return fault === undefined ? access.fetch(url, init) : Promise.resolve(fault);
  };
  claimCheck = new S3ClaimCheck({ ...access, fetch, retry });
  return urls;
}

const refusal = (code: string, status: number, message = code): Response =>
  new Response(
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    { status },
  );

it('an event is stored as JSON under its id at the returned address', async () => {
  const json = JSON.stringify({ name: 'Größe 🏗', empty: '' });
  expect(await claimCheck.put('af6d', json)).toBe(`s3://${bucket}/events/af6d.json`);
  expect(await aws.read(`s3://${bucket}/events/af6d.json`)).toEqual({
    text: json,
    type: 'application/json',
  });
});

it('an event that is stored again replaces itself', async () => {
  const dataref = await claimCheck.put('af6d', '{"recordedtime":1}');
  expect(await claimCheck.put('af6d', '{"recordedtime":2}')).toBe(dataref);
  expect((await aws.read(dataref)).text).toBe('{"recordedtime":2}');
});

it('an event of ten megabytes is stored', async () => {
  const json = JSON.stringify('x'.repeat(10_000_000));
  const dataref = await claimCheck.put('huge', json);
  expect((await aws.read(dataref)).text).toHaveLength(json.length);
});

it.each([
  ['throttled', refusal('SlowDown', 503)],
  ['too many', refusal('TooManyRequestsException', 429)],
  ['a fault of S3', refusal('InternalError', 500)],
  ['a time-out that counts as ours', refusal('RequestTimeout', 400)],
  ['another put of the same key', refusal('OperationAborted', 409)],
  ['without an answer', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
])('a transient failure is retried: %s', async (_, fault) => {
  const keys = failPuts((call) =>
    call > 2 ? undefined : fault instanceof Error ? fault : fault.clone(),
  );
  expect(await claimCheck.put('a', '{}')).toBe(`s3://${bucket}/events/a.json`);
  expect(keys).toHaveLength(3);
});

it('a put that fails after all tries rejects with the last error', async () => {
  const keys = failPuts(() => refusal('SlowDown', 503, 'reduce your rate'));
  const kept = claimCheck.put('a', '{}');
  await expect(kept).rejects.toThrow(ClaimCheckFailedError);
  await expect(kept).rejects.toThrow(
    `Bucket ${bucket} did not accept events/a.json: SlowDown: reduce your rate`,
  );
  await expect(kept).rejects.toHaveProperty('hint', expect.stringContaining('next run'));
  expect(keys).toHaveLength(retry.maxTries);
});

it.each([
  ['the rights', refusal('AccessDenied', 403)],
  ['the token of the role', refusal('ExpiredToken', 400)],
])('a fault in %s fails at once: that is for the operator', async (_, error) => {
  const keys = failPuts(() => error);
  const kept = claimCheck.put('a', '{}');
  await expect(kept).rejects.toThrow(ClaimCheckFailedError);
  await expect(kept).rejects.toHaveProperty('hint', expect.stringContaining('s3:PutObject'));
  expect(keys).toHaveLength(1);
});

it('a bucket that is not there fails at once, and is named', async () => {
  const keys = failPuts(() => undefined, `${bucket}-gone`);
  const kept = claimCheck.put('a', '{}');
  await expect(kept).rejects.toThrow(`Bucket ${bucket}-gone did not accept`);
  await expect(kept).rejects.toThrow('NoSuchBucket');
  expect(keys).toHaveLength(1);
});

it('a put without an answer is told with the reason, not as "fetch failed"', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:443'), {
    code: 'ECONNREFUSED',
  });
  failPuts(() => new TypeError('fetch failed', { cause }));
  await expect(claimCheck.put('a', '{}')).rejects.toThrow(
    `Bucket ${bucket} did not accept events/a.json: NoAnswerError: ECONNREFUSED connect ECONNREFUSED 10.0.0.1:443`,
  );
});

it('nothing is stored without the lease; its loss is the error', async () => {
  const keys = failPuts(() => undefined);
  const { guard, loss } = endedGuard();
  await expect(claimCheck.put('a', '{}', guard)).rejects.toBe(loss);
  expect(keys).toEqual([]);
});

it('an answer that is no XML is reported by its status', async () => {
  failPuts(() => new Response('<html>', { status: 418 }));
  await expect(claimCheck.put('a', '{}')).rejects.toThrow('S3Error: status 418');
});

it('a put without an answer ends after its timeout', async () => {
  const access = aws.bucketAccess(bucket);
  const fetch: SignedFetch = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
  claimCheck = new S3ClaimCheck({ ...access, fetch, retry, timeoutMs: 5 });
  await expect(claimCheck.put('a', '{}')).rejects.toThrow('aborted due to timeout');
});

it('only the first line of an error of AWS is shown, since others can repeat signed headers', async () => {
  const words = 'The signature does not match.\nx-amz-security-token:SECRET';
  failPuts(() => refusal('SignatureDoesNotMatch', 403, words));
  const error = await claimCheck.put('a', '{}').catch((failure: unknown) => failure);
  expect((error as Error).message).toContain('The signature does not match.');
  expect((error as Error).message).not.toContain('SECRET');
});
