import { SitecastError } from '../../core/model/errors.ts';
import type { LargeEvents } from '../../core/ports/webhook.ts';
import { exchange, NoAnswerError, type HttpAnswer } from '../shared/http-exchange.ts';
import type { BucketAccess } from './signed-fetch.ts';

/** Time of a request. */
const TIMEOUT_MS = 20_000;
/** As long as deliveries are retried. S3 ends an address before that when the credentials that signed it end. */
const ADDRESS_SECONDS = 72 * 3600;

/** Reads large events from their bucket, see {@link LargeEvents}. */
export class BucketEvents implements LargeEvents {
  readonly #bucket: BucketAccess;

  constructor(bucket: BucketAccess) {
    this.#bucket = bucket;
  }

  async read(dataref: string, maxBytes: number): Promise<string | undefined> {
    const isTooLarge = ({ ok, headers }: Pick<Response, 'ok' | 'headers'>): boolean =>
      ok && Number(headers.get('content-length') ?? 0) > maxBytes;
    const answer = await this.#get(dataref, async (response) => {
      if (!isTooLarge(response)) return response.text();
      await response.body?.cancel();
      return '';
    });
    const { ok, text } = answer;
    if (isTooLarge(answer)) return undefined;
    if (ok) return Buffer.byteLength(text) > maxBytes ? undefined : text;
    const [, code = 'no code'] = /<Code>(\w+)<\/Code>/.exec(text) ?? [];
    throw new SitecastError(`the bucket answered ${answer.status} ${code} for ${dataref}`, {
      hint: 'Check that the object was not deleted, and that the role may read it.',
    });
  }

  async #get(dataref: string, read: (response: Response) => Promise<string>): Promise<HttpAnswer> {
    const { fetch } = this.#bucket;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await exchange(fetch, this.#urlOf(dataref), { signal }, read);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw new SitecastError(`the bucket gave no answer for ${dataref}: ${error.message}`, {
        hint: 'It is read again with the next attempt. If it persists, check the network and the health of S3 in the region.',
        cause: error,
      });
    }
  }

  presign(dataref: string): Promise<string> {
    return this.#bucket.presign(this.#urlOf(dataref), ADDRESS_SECONDS);
  }

  /** @throws SitecastError if the event lies elsewhere: the role is not for that. */
  #urlOf(dataref: string): string {
    const { bucket, url } = this.#bucket;
    const { protocol, hostname, pathname } = new URL(dataref);
    if (protocol === 's3:' && hostname === bucket) return `${url}${pathname}`;
    throw new SitecastError(`${dataref} is not in the bucket ${bucket}`, {
      hint: 'Subscribe the webhook to the topic of its own stack only.',
    });
  }
}
