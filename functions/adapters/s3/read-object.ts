import { SitecastError } from '../../core/model/errors.ts';
import { exchange, NoAnswerError } from '../shared/http-exchange.ts';
import type { BucketAccess } from './signed-fetch.ts';

/** Time of the request. */
const TIMEOUT_MS = 20_000;

const STATUS_HINT =
  'Check that it was not deleted, and that the role of the control function may read it.';
const NO_ANSWER_HINT =
  'Repeat the command. If it persists, check the network and the health of S3 in the region.';

/**
 * Reads an object of a bucket as a text.
 *
 * @param address `s3://<bucket>/<key>`.
 * @throws SitecastError when it cannot be read.
 */
export async function readObject({ url, fetch }: BucketAccess, address: string): Promise<string> {
  const { pathname } = new URL(address);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const read = (response: Response): Promise<string> => response.text();
  const failure = (reason: string, hint: string, cause?: unknown): SitecastError =>
    new SitecastError(`The copy ${address} cannot be read: ${reason}`, { hint, cause });
  const answer = await exchange(fetch, `${url}${pathname}`, { signal }, read).catch(
    (error: unknown) => {
      if (!(error instanceof NoAnswerError)) throw error;
      throw failure(`no answer: ${error.message}`, NO_ANSWER_HINT, error);
    },
  );
  const { ok, status, text } = answer;
  if (ok) return text;
  const [, code = 'no code'] = /<Code>(\w+)<\/Code>/.exec(text) ?? [];
  throw failure(`the bucket answered ${status} ${code}`, STATUS_HINT);
}
