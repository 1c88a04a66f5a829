import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { makeBucketAccess } from '../../../../functions/adapters/s3/signed-fetch.ts';
import { serve } from '../../../support/local-server.ts';

const REGIONS = ['eu-central-1', 'us-gov-west-1', 'cn-north-1', 'eusc-de-east-1', 'us-iso-east-1'];
const SETTINGS = [
  {},
  { AWS_USE_FIPS_ENDPOINT: 'true' },
  { AWS_USE_DUALSTACK_ENDPOINT: 'true' },
  { AWS_USE_FIPS_ENDPOINT: 'true', AWS_USE_DUALSTACK_ENDPOINT: 'true' },
];

describe.each(REGIONS)('in %s', (AWS_REGION) => {
  it.each(SETTINGS)('with %j a bucket is where the SDK finds it', (settings) => {
    const env: Record<string, string> = { AWS_REGION, ...settings };
    const { endpointProvider } = new S3Client({ region: AWS_REGION }).config;
    const sdk = (): URL =>
      endpointProvider({
        Bucket: 'large',
        Region: AWS_REGION,
        UseFIPS: 'AWS_USE_FIPS_ENDPOINT' in env,
        UseDualStack: 'AWS_USE_DUALSTACK_ENDPOINT' in env,
      }).url;
    // There are none in China; the SDK says so, and the address does not resolve.
    if (AWS_REGION.startsWith('cn-') && 'AWS_USE_FIPS_ENDPOINT' in env) {
      expect(sdk).toThrow('FIPS');
      return;
    }
    expect(`${makeBucketAccess('large', env).url}/`).toBe(sdk().href);
  });
});

it('a bucket of an endpoint of its own is found by its path', () => {
  const env = { AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' };
  expect(makeBucketAccess('large', env).url).toBe('http://127.0.0.1:1/large');
});

it("a put is signed with the role's credentials, for S3 in the region", async () => {
  const aws = await serve((response) => response.end());
  const { fetch, url } = makeBucketAccess('large', {
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL_S3: aws.url,
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session',
  });
  await fetch(`${url}/events/1.json`, { method: 'PUT', body: '{}' });
  const [request] = aws.received;
  expect(request).toMatchObject({ method: 'PUT', url: '/large/events/1.json', body: '{}' });
  expect(request?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=.*x-amz-security-token/,
  );
  expect(request?.headers['x-amz-security-token']).toBe('session');
});
