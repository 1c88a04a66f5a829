import { expect, it } from 'vitest';
import { hintForNoAnswer } from '../../../../functions/adapters/shared/http-exchange.ts';

it.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('a certificate that fails with %s is named as the reason', (code) => {
  expect(hintForNoAnswer(code, 'baseUrl')).toBe(
    'The certificate is not trusted. Check baseUrl, and that NODE_EXTRA_CA_CERTS names the file of a private CA.',
  );
});

it.each([undefined, 'ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_SOCKET'])(
  'a connection that fails with %s has no other reason',
  (code) => {
    expect(hintForNoAnswer(code, 'authUrl')).toBe('Check authUrl and the network.');
  },
);
