import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SitecastError } from '../../core/model/errors.ts';
import { summarizeError } from '../shared/aws-errors.ts';
import { requestHandler } from '../shared/request-handler.ts';

/** An event may have megabytes. */
const REQUEST_TIMEOUT_MS = 20_000;

export function makeS3Client(): S3Client {
  return new S3Client({
    requestHandler: { ...requestHandler, requestTimeout: REQUEST_TIMEOUT_MS },
  });
}

/** Bucket and key in `s3://<bucket>/<key>`. */
export function objectAt(address: string): { readonly Bucket: string; readonly Key: string } {
  const { hostname, pathname } = new URL(address);
  return { Bucket: hostname, Key: pathname.slice(1) };
}

/**
 * Reads an object as a text.
 *
 * @param address `s3://<bucket>/<key>`.
 * @param range such as `bytes=0-9`; absent: all of it.
 * @throws SitecastError
 */
export async function readObject(
  client: S3Client,
  address: string,
  range?: string,
): Promise<string> {
  try {
    const get = new GetObjectCommand({ ...objectAt(address), Range: range });
    const { Body } = await client.send(get);
    return (await Body?.transformToString()) ?? '';
  } catch (error) {
    throw new SitecastError(`The object ${address} cannot be read: ${summarizeError(error)}`, {
      hint: 'Check that it was not deleted, that the role may read it, and the health of S3.',
      cause: error,
    });
  }
}
