import { createHmac } from 'node:crypto';

/** The headers by which an endpoint knows an event and its sender. */
export interface SignatureHeaders extends Readonly<Record<string, string>> {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Signs a request as Standard Webhooks describes it: HMAC-SHA256 of `<id>.<seconds>.<body>`, once
 * with each key.
 *
 * @param now milliseconds since 1970.
 */
export function sign(
  { id, body }: { readonly id: string; readonly body: string },
  keys: readonly Uint8Array[],
  now: number,
): SignatureHeaders {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = keys.map((key) => {
    // In two parts: a text of both would copy a body of megabytes.
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
