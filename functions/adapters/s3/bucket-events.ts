import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { SitecastError } from '../../core/model/errors.ts';
import type { LargeEvents } from '../../deliver/ports.ts';
import { summarizeError } from '../shared/error-summary.ts';
import { makeS3Client } from './s3-client.ts';

/** As long as deliveries are retried. S3 ends an address before that when the credentials that signed it end. */
const ADDRESS_SECONDS = 72 * 3600;

/** Reads large events from their bucket, see {@link LargeEvents}. */
export class BucketEvents implements LargeEvents {
  readonly #bucket: string;
  readonly #client: S3Client;

  constructor(bucket: string, client = makeS3Client()) {
    this.#bucket = bucket;
    this.#client = client;
  }

  async read(dataref: string, maxBytes: number): Promise<string | undefined> {
    // A byte more shows that the event is too large.
    const range = { Range: `bytes=0-${maxBytes}` };
    const get = new GetObjectCommand({ ...this.#objectAt(dataref), ...range });
    try {
      const { Body } = await this.#client.send(get);
      const text = (await Body?.transformToString()) ?? '';
      return Buffer.byteLength(text) > maxBytes ? undefined : text;
    } catch (error) {
      throw new SitecastError(`${summarizeError(error)} (${dataref})`, {
        hint: 'Check that it was not deleted, that the role may read it, and the health of S3.',
        cause: error,
      });
    }
  }

  presign(dataref: string): Promise<string> {
    const get = new GetObjectCommand(this.#objectAt(dataref));
    return getSignedUrl(this.#client, get, { expiresIn: ADDRESS_SECONDS });
  }

  /** @throws SitecastError if the event lies elsewhere: the role is not for that. */
  #objectAt(dataref: string): { readonly Bucket: string; readonly Key: string } {
    const { protocol, hostname, pathname } = new URL(dataref);
    if (protocol === 's3:' && hostname === this.#bucket) {
      return { Bucket: this.#bucket, Key: pathname.slice(1) };
    }
    throw new SitecastError(`${dataref} is not in the bucket ${this.#bucket}`, {
      hint: 'Subscribe the webhook to the topic of its own stack only.',
    });
  }
}
