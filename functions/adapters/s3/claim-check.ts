import { ClaimCheckFailedError, LeaseLostError } from '../../core/model/errors.ts';
import type { ClaimCheck } from '../../core/ports/event-topic.ts';
import type { LeaseGuard } from '../../core/ports/lease-guard.ts';
import { summarizeError } from '../shared/error-summary.ts';
import { exchange, isTransientStatus } from '../shared/http-exchange.ts';
import { DEFAULT_RETRY, retry, type RetryPolicy } from '../shared/retry.ts';
import { whileHeld } from '../shared/while-held.ts';
import type { BucketAccess } from './signed-fetch.ts';

/** The lifecycle rules of the bucket delete old events. */
export interface S3ClaimCheckOptions extends BucketAccess {
  /** For transient failures. Default {@link DEFAULT_RETRY}. */
  readonly retry?: RetryPolicy;
  /** Where the objects are. Default `events`. */
  readonly folder?: string;
  /** Time of one attempt. Default 20,000: an event may have megabytes. */
  readonly timeoutMs?: number;
}

/** Codes of transient errors. S3 answers some of them with 400. */
const TRANSIENT = /slowdown|throttl|timeout|internal|unavailable|operationaborted/i;

/** S3 refused a put. */
class S3Error extends Error {
  readonly status: number;

  constructor(status: number, body: string) {
    super(/<Message>(.*?)<\/Message>/s.exec(body)?.[1] ?? `status ${status}`);
    this.name = /<Code>(\w+)<\/Code>/.exec(body)?.[1] ?? 'S3Error';
    this.status = status;
  }
}

/** Stores JSON in an S3 bucket: large events as `events/<name>.json`. */
export class S3ClaimCheck implements ClaimCheck {
  readonly #options: Required<S3ClaimCheckOptions>;

  constructor(options: S3ClaimCheckOptions) {
    this.#options = {
      retry: DEFAULT_RETRY,
      folder: 'events',
      timeoutMs: 20_000,
      ...options,
    };
  }

  async put(name: string, json: string, guard?: LeaseGuard): Promise<string> {
    const { bucket, folder, retry: policy } = this.#options;
    const key = `${folder}/${name}.json`;
    try {
      await retry(() => this.#send(key, json, guard), { ...policy, isRetryable });
    } catch (error) {
      throw error instanceof LeaseLostError ? error : this.#failure(key, error);
    }
    return `s3://${bucket}/${key}`;
  }

  async #send(key: string, json: string, guard: LeaseGuard | undefined): Promise<void> {
    const { fetch, url, timeoutMs, retry: policy } = this.#options;
    await whileHeld({ guard, leftMs: policy.leftMs }, async ({ abortSignal }) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const { ok, status, text } = await exchange(fetch, `${url}/${key}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: json,
        signal: abortSignal ? AbortSignal.any([timeout, abortSignal]) : timeout,
      });
      if (!ok) throw new S3Error(status, text);
    });
  }

  #failure(key: string, error: unknown): ClaimCheckFailedError {
    return new ClaimCheckFailedError(
      `Bucket ${this.#options.bucket} did not accept ${key}: ${summarizeError(error)}`,
      { hint: hintFor(error, this.#options.folder), cause: error },
    );
  }
}

/** Any error but S3's own: the request never reached S3, or its answer was lost. */
function isRetryable(error: unknown): boolean {
  if (error instanceof LeaseLostError) return false;
  if (!(error instanceof S3Error)) return true;
  return isTransientStatus(error.status) || TRANSIENT.test(error.name);
}

function hintFor(error: unknown, folder: string): string {
  if (isRetryable(error)) {
    return 'The next run repeats it. If it persists, check S3 in the region.';
  }
  return `Check that the bucket exists in this region, and that its policy and the role allow s3:PutObject on ${folder}/*.`;
}
