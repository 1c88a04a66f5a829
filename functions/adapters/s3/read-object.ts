import { SitecastError } from '../../core/model/errors.ts';
import type { BucketAccess } from './signed-fetch.ts';

/** Time of the request. */
const TIMEOUT_MS = 20_000;

/**
 * Reads an object of a bucket as a text.
 *
 * @param address `s3://<bucket>/<key>`.
 * @throws SitecastError when it cannot be read.
 */
export async function readObject({ url, fetch }: BucketAccess, address: string): Promise<string> {
  const { pathname } = new URL(address);
  const answer = await fetch(`${url}${pathname}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await answer.text();
  if (answer.ok) return text;
  const [, code = 'no code'] = /<Code>(\w+)<\/Code>/.exec(text) ?? [];
  throw new SitecastError(
    `The copy ${address} cannot be read: the bucket answered ${answer.status} ${code}`,
    {
      hint: 'Check that it was not deleted, and that the role of the control function may read it.',
    },
  );
}
