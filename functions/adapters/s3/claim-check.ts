import { PutObjectCommand, S3ServiceException, type S3Client } from '@aws-sdk/client-s3';
import { summarizeError } from '../shared/aws-errors.ts';
import { ClaimCheckFailedError, type ClaimCheck } from '../shared/claim-check.ts';
import type { RetryPolicy } from '../shared/retry.ts';
import { whileTimeRemains } from '../shared/timeout.ts';
import { makeS3Client } from './read-object.ts';

export interface S3ClaimCheckOptions extends Pick<RetryPolicy, 'leftMs'> {
  /** Its lifecycle rules delete old events. */
  readonly bucket: string;
  /** Retries throttles, 5xx and network errors. */
  readonly client?: S3Client;
  /** Where the objects are. Default `events`. */
  readonly folder?: string;
}

/** Stores JSON in an S3 bucket: large events as `events/<name>.json`. */
export class S3ClaimCheck implements ClaimCheck {
  readonly #options: S3ClaimCheckOptions;
  readonly #client: S3Client;
  readonly #folder: string;

  constructor(options: S3ClaimCheckOptions) {
    this.#options = options;
    this.#client = options.client ?? makeS3Client();
    this.#folder = options.folder ?? 'events';
  }

  async put(name: string, json: string): Promise<string> {
    const { bucket, leftMs } = this.#options;
    const key = `${this.#folder}/${name}.json`;
    const object = { Bucket: bucket, Key: key, Body: json, ContentType: 'application/json' };
    try {
      await whileTimeRemains(leftMs, (options) =>
        this.#client.send(new PutObjectCommand(object), options),
      );
    } catch (error) {
      throw new ClaimCheckFailedError(
        `Bucket ${bucket} did not accept ${key}: ${summarizeError(error)}`,
        { hint: hintFor(error, this.#folder), cause: error },
      );
    }
    return `s3://${bucket}/${key}`;
  }
}

function hintFor(error: unknown, folder: string): string {
  return error instanceof S3ServiceException && error.$fault === 'client'
    ? `Check that the bucket exists, and that the role may s3:PutObject on ${folder}/*.`
    : 'The next run repeats it. If it persists, check S3 in the region.';
}
