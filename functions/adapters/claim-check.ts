import { setTimeout as sleep } from 'node:timers/promises';
import { PutObjectCommand, type S3Client, type S3ServiceException } from '@aws-sdk/client-s3';
import { DEFAULT_RETRY, sendUntilDone, type RetryPolicy } from '../core/batches.ts';
import { ClaimCheckFailed, LeaseLost } from '../core/errors.ts';
import { firstLineOf } from '../core/first-line.ts';
import { whilePermitted, type Permit } from '../core/permit.ts';
import type { ClaimCheck } from '../core/ports.ts';

/** What an {@link S3ClaimCheck} works with. */
export interface S3ClaimCheckOptions {
  /** Its own retries (throttles, 5xx, network) come before these. */
  readonly client: S3Client;
  /** Name of the bucket. It has to delete what is 30 days old. */
  readonly bucket: string;
  /** For puts that failed but may pass. Default {@link DEFAULT_RETRY}. */
  readonly retry?: RetryPolicy;
}

/** Names of errors that say: later, perhaps. S3 answers some of them with 400. */
const PASSING = /slowdown|throttl|timeout|internal|unavailable|operationaborted/i;

/** Keeps large events in an S3 bucket, each as `events/<id>.json`. */
export class S3ClaimCheck implements ClaimCheck {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #retry: RetryPolicy;

  constructor(options: S3ClaimCheckOptions) {
    this.#client = options.client;
    this.#bucket = options.bucket;
    this.#retry = options.retry ?? DEFAULT_RETRY;
  }

  async put(id: string, json: string, permit?: Permit): Promise<string> {
    const key = `events/${id}.json`;
    let lastError: unknown;
    const send = async (keys: readonly string[]): Promise<readonly string[]> => {
      try {
        await this.#send(key, json, permit);
        return [];
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        if (!mayPass(error as S3ServiceException)) throw this.#failure(key, error);
        lastError = error;
        return keys;
      }
    };
    const left = await sendUntilDone([key], send, this.#retry, { sleep, random: Math.random });
    if (left.length > 0) throw this.#failure(key, lastError);
    return `s3://${this.#bucket}/${key}`;
  }

  async #send(key: string, json: string, permit: Permit | undefined): Promise<void> {
    const put = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: key,
      Body: json,
      ContentType: 'application/json',
    });
    await whilePermitted(permit, (options) => this.#client.send(put, options));
  }

  #failure(key: string, error: unknown): ClaimCheckFailed {
    return new ClaimCheckFailed(
      `Bucket ${this.#bucket} did not take ${key}: ${firstLineOf(error)}`,
      { hint: hintFor(error as S3ServiceException), cause: error },
    );
  }
}

/** Errors without an HTTP status never reached S3, or lost its answer. */
function mayPass({ name, $metadata }: Partial<S3ServiceException>): boolean {
  const status = $metadata?.httpStatusCode;
  return status === undefined || status >= 500 || status === 429 || PASSING.test(name ?? '');
}

function hintFor(error: S3ServiceException): string {
  if (mayPass(error)) {
    return 'The next run publishes what is left again, with the same ids. If it lasts, look at the health of S3 in the region.';
  }
  return "Check that the bucket named in the settings exists in this region, and that its policy and the poller's role allow s3:PutObject on events/*.";
}
