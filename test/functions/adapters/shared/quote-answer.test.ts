import { expect, it } from 'vitest';
import { quoteAnswer } from '../../../../functions/adapters/shared/quote-answer.ts';

const ID = '2b0d1c5e-6f0a-4d0e-9a53-0d6f1f6d7a11';

it.each([
  ['a hash', '0123456789abcdef0123456789abcdef'],
  ['a JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'],
  ['a key in base64', 'q83vEjRWeJ/rze+ASNFZ4kKvN7w='],
  ['a signing secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  ['a signature', 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
  ['a key with a prefix as of codes', 'ERR_7F3A9C_4D5E6F_7A8B9C0D1E2F3A4B'],
  ['a run that holds an id', `key${ID}7f3a9c4d`],
])('quotes no secret: %s', (_, secret) => {
  const quoted = quoteAnswer(`expected "${secret}" here`);
  expect(quoted).toMatch(/^expected "\[redacted\](\.\[redacted\])*" here$/);
});

it('quotes no value of a secret name, however short', () => {
  expect(quoteAnswer('{"api_token":"hunter2"} for Bearer opaque1')).toBe(
    '{"api_token":"[redacted]"} for Bearer [redacted]',
  );
});

it.each([
  'no such customer: 42',
  `no such sheet id=${ID}`,
  `Location: https://eu.construction-site-service.example.com/api/v3/projects/${ID}/floorplans`,
  '{"code":"InvalidAuthenticationToken","details":[]}',
  'last_synced_at must be before 2026-01-01T00:00:00.000Z',
  'X-Last-Synced-At must be a timestamp, got "soon"',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH Response body length does not match',
  'EPROTO 1:error:0A000410:SSL ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ENOTFOUND getaddrinfo ENOTFOUND api.construction-projects.example.com',
])('quotes words, ids, hosts, times and codes: %s', (text) => {
  expect(quoteAnswer(text)).toBe(text);
});

it('quotes one line of at most 200 characters', () => {
  expect(quoteAnswer(' a\r\n\tb\u0001c\u001B[2J\u2028ü ')).toBe('a b c [2J ü');
  expect(quoteAnswer('a '.repeat(10_000))).toBe(`${'a '.repeat(100)}…`);
});
