import { beforeEach, expect, it } from 'vitest';
import { S3ClaimCheck } from '../../../../functions/adapters/s3/claim-check.ts';
import { readObject } from '../../../../functions/adapters/s3/read-object.ts';
import type { BucketAccess } from '../../../../functions/adapters/s3/signed-fetch.ts';
import { SitecastError } from '../../../../functions/core/model/errors.ts';
import { deadAddress, rejection } from '../../../support/local-server.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();
let access: BucketAccess;

beforeEach(async () => {
  access = aws.bucketAccess(await aws.createBucket());
});

it('an object is read whole, however large it is', async () => {
  const text = JSON.stringify('🏗'.repeat(500_000));
  const address = await new S3ClaimCheck(access).put('e1', text);
  expect(await readObject(access, address)).toBe(text);
});

it('an object that is gone is told', async () => {
  const address = `s3://${access.bucket}/quarantine/e1.json`;
  const error = await rejection(readObject(access, address));
  expect(error).toBeInstanceOf(SitecastError);
  expect(error).toMatchObject({
    message: `The copy ${address} cannot be read: the bucket answered 404 NoSuchKey`,
    hint: 'Check that it was not deleted, and that the role of the control function may read it.',
  });
});

it('a bucket that gives no answer is told, with the object and the reason', async () => {
  const address = `s3://${access.bucket}/quarantine/e1.json`;
  const error = await rejection(readObject({ ...access, url: await deadAddress() }, address));
  expect(error).toBeInstanceOf(SitecastError);
  expect(error).toMatchObject({
    message: expect.stringContaining(
      `The copy ${address} cannot be read: no answer: ECONNREFUSED connect `,
    ) as string,
    hint: expect.stringContaining('network') as string,
  });
});
