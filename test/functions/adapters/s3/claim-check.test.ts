import { S3ServiceException } from '@aws-sdk/client-s3';
import { beforeEach, expect, it } from 'vitest';
import { S3ClaimCheck } from '../../../../functions/adapters/s3/claim-check.ts';
import { ClaimCheckFailedError } from '../../../../functions/adapters/shared/claim-check.ts';
import { scriptCalls } from '../../../support/script-calls.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();
let bucket: string;
let claimCheck: S3ClaimCheck;

beforeEach(async () => {
  bucket = await aws.createBucket();
  claimCheck = new S3ClaimCheck({ client: aws.clients.s3, bucket });
});

it('an event is stored as JSON under its id at the returned address', async () => {
  const json = JSON.stringify({ name: 'Größe 🏗', empty: '' });
  expect(await claimCheck.put('af6d', json)).toBe(`s3://${bucket}/events/af6d.json`);
  expect(await aws.read(`s3://${bucket}/events/af6d.json`)).toEqual({
    text: json,
    type: 'application/json',
  });
});

/** Answers puts by an error. @returns the keys, call by call. */
function failPuts(error: Error): string[] {
  const keys: string[] = [];
  const { s3 } = aws.freshClients();
  scriptCalls<{ Key: string }, never>(s3, 'PutObjectCommand', ({ Key }) => {
    keys.push(Key);
    throw error;
  });
  claimCheck = new S3ClaimCheck({ client: s3, bucket });
  return keys;
}

const refusal = (name: string, message: string, $fault: 'client' | 'server' = 'client') =>
  new S3ServiceException({ name, message, $fault, $metadata: {} });

it.each<[string, Error, string]>([
  ['the rights', refusal('AccessDenied', 'no'), 'the role may s3:PutObject on events/*'],
  ['S3', refusal('SlowDown', 'reduce your rate', 'server'), 'The next run repeats it'],
  ['the network', new Error('socket hang up'), 'The next run repeats it'],
])('a put that fails by a fault of %s says so', async (_, error, hint) => {
  failPuts(error);
  const kept = claimCheck.put('a', '{}');
  await expect(kept).rejects.toThrow(ClaimCheckFailedError);
  await expect(kept).rejects.toThrow(
    `Bucket ${bucket} did not accept events/a.json: ${error.name}: ${error.message}`,
  );
  await expect(kept).rejects.toHaveProperty('hint', expect.stringContaining(hint));
});
