import { expect, it } from 'vitest';
import { makeBucketAccess } from '../../../../functions/adapters/s3/signed-fetch.ts';
import { serve } from '../../../support/local-server.ts';

it.each([
  [{ AWS_REGION: 'eu-central-1' }, 'https://large.s3.eu-central-1.amazonaws.com'],
  [{ AWS_REGION: 'cn-north-1' }, 'https://large.s3.cn-north-1.amazonaws.com.cn'],
  [{ AWS_REGION: 'us-iso-east-1' }, 'https://large.s3.us-iso-east-1.c2s.ic.gov'],
  [
    { AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' },
    'http://127.0.0.1:1/large',
  ],
])('with %j a bucket is at %s', (env, url) => {
  expect(makeBucketAccess('large', env)).toMatchObject({ bucket: 'large', url });
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
