import { expect, it } from 'vitest';
import { readObject } from '../../../../functions/adapters/s3/read-object.ts';
import { SitecastError } from '../../../../functions/core/model/errors.ts';
import { rejection } from '../../../support/local-server.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();

it('an object is read whole, however large it is', async () => {
  const text = JSON.stringify('🏗'.repeat(500_000));
  const address = await (await aws.createClaimCheck()).put('e1', text);
  expect(await readObject(aws.clients.s3, address)).toBe(text);
});

it('an object that is gone is told', async () => {
  const address = `s3://${await aws.createBucket()}/quarantine/e1.json`;
  const error = await rejection(readObject(aws.clients.s3, address));
  expect(error).toBeInstanceOf(SitecastError);
  expect(error).toMatchObject({
    message: `The object ${address} cannot be read: NoSuchKey: The specified key does not exist.`,
    hint: expect.stringContaining('Check that it was not deleted') as string,
  });
});
