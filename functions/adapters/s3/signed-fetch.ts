import { partition } from '@aws-sdk/core/client';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

/** `fetch` that signs its requests for S3. */
export type SignedFetch = (
  url: string,
  init: RequestInit & { readonly body?: string },
) => Promise<Response>;

/** Address of a bucket, and access to it. */
export interface BucketAccess {
  readonly bucket: string;
  /** URL of the bucket, without a slash at its end. */
  readonly url: string;
  readonly fetch: SignedFetch;
  /** Makes an address at which anyone may read an object, as long as the credentials live. */
  readonly presign: (url: string, seconds: number) => Promise<string>;
}

/**
 * Gives access to a bucket without the SDK's client of S3, which would be two fifths of the bundle, loaded
 * at every start for rare events.
 *
 * @param env region, credentials and endpoint, as Lambda sets them, and the SDK's choice of endpoints.
 */
export function makeBucketAccess(bucket: string, env: NodeJS.ProcessEnv): BucketAccess {
  const { AWS_REGION: region = '', AWS_ENDPOINT_URL_S3: endpoint } = env;
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const signer = new SignatureV4({
    service: 's3',
    region,
    credentials: {
      accessKeyId: env['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: env['AWS_SECRET_ACCESS_KEY'] ?? '',
      ...(sessionToken && { sessionToken }),
    },
    sha256: Sha256,
    // S3 signs paths without a second encoding.
    uriEscapePath: false,
  });
  return {
    bucket,
    url: endpoint ? `${endpoint}/${bucket}` : `https://${bucket}.${hostOfS3(region, env)}`,
    async fetch(url, init) {
      const { protocol, hostname, host, pathname } = new URL(url);
      const { method = 'GET', body } = init;
      const headers = Object.fromEntries(new Headers(init.headers));
      const target = { method, protocol, hostname, path: pathname, query: {} };
      const request = { ...target, ...(body !== undefined && { body }) };
      const signed = await signer.sign({ ...request, headers: { ...headers, host } });
      return fetch(url, { ...init, headers: signed.headers });
    },
    async presign(url, seconds) {
      const { protocol, hostname, host, pathname } = new URL(url);
      const target = { method: 'GET', protocol, hostname, path: pathname, query: {} };
      // Nobody knows the body of an answer before it is there.
      const headers = { host, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' };
      const signed = await signer.presign({ ...target, headers }, { expiresIn: seconds });
      return `${url}?${new URLSearchParams(signed.query as Record<string, string>).toString()}`;
    },
  };
}

/** The host in any partition, with the two settings that the SDK's clients heed. */
function hostOfS3(region: string, env: NodeJS.ProcessEnv): string {
  const service = env['AWS_USE_FIPS_ENDPOINT'] === 'true' ? 's3-fips' : 's3';
  const dualStack = env['AWS_USE_DUALSTACK_ENDPOINT'] === 'true' ? '.dualstack' : '';
  return `${service}${dualStack}.${region}.${partition(region).dnsSuffix}`;
}
