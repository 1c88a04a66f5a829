import { DEFAULT_RETRY, retry, type RetryPolicy } from '../shared/retry.ts';
import { ClaimCheckFailedError, LeaseLostError } from '../../core/model/errors.ts';
import { summarizeError } from '../shared/error-summary.ts';
import { whileHeld } from '../shared/while-held.ts';
import { type LeaseGuard } from '../../core/ports/lease-guard.ts';
import { type ClaimCheck } from '../../core/ports/event-topic.ts';

/** `fetch` that signs its requests for S3. */
export type SignedFetch = (
  url: string,
  init: RequestInit & { readonly body: string },
) => Promise<Response>;

/** What an {@link S3ClaimCheck} works with. */
export interface S3ClaimCheckOptions {
  readonly fetch: SignedFetch;
  /** Name of the bucket. It has to delete what nobody reads any more. */
  readonly bucket: string;
  /** URL of the bucket, without a slash at its end. */
  readonly url: string;
  /** For puts that failed but may pass. Default {@link DEFAULT_RETRY}. */
  readonly retry?: RetryPolicy;
  /** Milliseconds for one attempt. Default 20,000: an event may have megabytes. */
  readonly timeLimitMs?: number;
}

/** Codes that say: later, perhaps. S3 answers some of them with 400. */
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

/** Keeps large events in an S3 bucket, each as `events/<id>.json`. */
export class S3ClaimCheck implements ClaimCheck {
  readonly #options: Required<S3ClaimCheckOptions>;

  constructor(options: S3ClaimCheckOptions) {
    this.#options = { retry: DEFAULT_RETRY, timeLimitMs: 20_000, ...options };
  }

  async put(id: string, json: string, guard?: LeaseGuard): Promise<string> {
    const { bucket, retry: policy } = this.#options;
    const key = `events/${id}.json`;
    try {
      await retry(() => this.#send(key, json, guard), { ...policy, isRetryable });
    } catch (error) {
      throw error instanceof LeaseLostError ? error : this.#failure(key, error);
    }
    return `s3://${bucket}/${key}`;
  }

  async #send(key: string, json: string, guard: LeaseGuard | undefined): Promise<void> {
    await whileHeld(guard, async ({ abortSignal }) => {
      const { fetch, url, timeLimitMs } = this.#options;
      const timeout = AbortSignal.timeout(timeLimitMs);
      const answer = await fetch(`${url}/${key}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: json,
        redirect: 'manual',
        signal: abortSignal ? AbortSignal.any([timeout, abortSignal]) : timeout,
      });
      const body = await answer.text();
      if (!answer.ok) throw new S3Error(answer.status, body);
    });
  }

  #failure(key: string, error: unknown): ClaimCheckFailedError {
    return new ClaimCheckFailedError(
      `Bucket ${this.#options.bucket} did not take ${key}: ${summarizeError(error)}`,
      { hint: hintFor(error), cause: error },
    );
  }
}

/** Any error but S3's own: the request never reached S3, or its answer was lost. */
function isRetryable(error: unknown): boolean {
  if (error instanceof LeaseLostError) return false;
  if (!(error instanceof S3Error)) return true;
  return error.status >= 500 || error.status === 429 || TRANSIENT.test(error.name);
}

function hintFor(error: unknown): string {
  if (isRetryable(error)) {
    return 'The next run publishes what is left again, with the same ids. If it lasts, look at the health of S3 in the region.';
  }
  return "Check that the bucket named in the settings exists in this region, and that its policy and the poller's role allow s3:PutObject on events/*.";
}
