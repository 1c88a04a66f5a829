import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { SitecastError } from '../../core/model/errors.ts';
import { summarizeError } from '../shared/error-summary.ts';
import { makeS3Client } from './s3-client.ts';

/** Makes a function that reads the text at `s3://<bucket>/<key>`, or throws a SitecastError. */
export function objectReader(client = makeS3Client()): (address: string) => Promise<string> {
  return (address) => readObject(client, address);
}

async function readObject(client: S3Client, address: string): Promise<string> {
  const { hostname, pathname } = new URL(address);
  const get = new GetObjectCommand({ Bucket: hostname, Key: pathname.slice(1) });
  try {
    const { Body } = await client.send(get);
    return (await Body?.transformToString()) ?? '';
  } catch (error) {
    throw new SitecastError(`The object ${address} cannot be read: ${summarizeError(error)}`, {
      hint: 'Check that it was not deleted, that the role may read it, and the health of S3.',
      cause: error,
    });
  }
}
