import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { SitecastError } from '../../core/model/errors.ts';
import type { LargeEvents } from '../../deliver/ports.ts';
import { makeS3Client, objectAt, readObject } from './read-object.ts';

/**
 * As long as deliveries are retried. An address ends sooner with the credentials that signed it.
 */
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
    this.#assertOwn(dataref);
    // A byte more shows that the event is too large.
    const text = await readObject(this.#client, dataref, `bytes=0-${maxBytes}`);
    return Buffer.byteLength(text) > maxBytes ? undefined : text;
  }

  async presign(dataref: string): Promise<string> {
    this.#assertOwn(dataref);
    const get = new GetObjectCommand(objectAt(dataref));
    return getSignedUrl(this.#client, get, { expiresIn: ADDRESS_SECONDS });
  }

  /** @throws SitecastError if the event lies elsewhere: the role is not for that. */
  #assertOwn(dataref: string): void {
    if (dataref.startsWith(`s3://${this.#bucket}/`)) return;
    throw new SitecastError(`${dataref} is not in the bucket ${this.#bucket}`, {
      hint: 'Subscribe the webhook to the topic of its own stack only.',
    });
  }
}
