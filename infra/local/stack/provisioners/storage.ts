import { CreateBucketCommand } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { noEffect, readProperties, type Provisioner } from './provisioner.ts';

/** Maximum length of a bucket name. */
const MAX_NAME_LENGTH = 63;

/** The embedded storage has no expiry, encryption or access control. */
const Bucket = z.strictObject({
  BucketName: z.string().optional(),
  BucketEncryption: noEffect,
  LifecycleConfiguration: noEffect,
  OwnershipControls: noEffect,
  PublicAccessBlockConfiguration: noEffect,
  Tags: noEffect,
});

export const createBucket: Provisioner = async (desired, { clients }) => {
  const { BucketName } = readProperties(Bucket, desired);
  const name = BucketName ?? desired.logicalId.toLowerCase().slice(-MAX_NAME_LENGTH);
  await clients.s3.send(new CreateBucketCommand({ Bucket: name }));
  return { ref: name, attributes: { Arn: `arn:aws:s3:::${name}` } };
};
