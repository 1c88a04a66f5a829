import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteAnswer } from '../../../../functions/adapters/webhook/quote-answer.ts';

it('a quotation is cut between characters, never within one', () => {
  const cut = quoteAnswer(`${'a'.repeat(199)}🏗 and more`, []);
  expect(cut).toBe(`${'a'.repeat(199)}…`);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 190, maxLength: 220 }), (text) => {
      expect(quoteAnswer(text, []).isWellFormed()).toBe(true);
    }),
  );
});

describe('a secret is not quoted', () => {
  // Its base64 has all three signs: +/…==
  const secret = Buffer.from(`fbffbf${'0123456789abcdef'.repeat(4)}`, 'hex').subarray(0, 34);
  const base64 = secret.toString('base64');
  const hexBytes = (isPadded = false) =>
    [...secret].map((byte) => byte.toString(16).padStart(isPadded ? 2 : 1, '0'));
  it.each([
    ['in base64', base64],
    ['without padding', base64.replace(/=+$/, '')],
    ['in base64 for URLs', secret.toString('base64url')],
    ['in a query', encodeURIComponent(base64)],
    ['in a query, in small letters', encodeURIComponent(base64).replace(/%../g, toLowerCase)],
    ['in a query of a query', encodeURIComponent(encodeURIComponent(base64))],
    ['in the JSON of PHP', base64.replaceAll('/', String.raw`\/`)],
    ['in JSON within JSON', base64.replaceAll('/', String.raw`\\\/`)],
    ['in JSON that is safe in HTML', base64.replace(/[+/=]/g, (sign) => `\\u00${hex(sign)}`)],
    ['in HTML', base64.replace(/[+/=]/g, (sign) => `&#x${hex(sign).toUpperCase()};`)],
    ['in HTML by decimals', base64.replace(/[+/=]/g, (sign) => `&#${sign.charCodeAt(0)};`)],
    ['in hexadecimal digits', secret.toString('hex')],
    ['in capital ones', secret.toString('hex').toUpperCase()],
    ['as Node.js prints bytes', secret.toString('hex').replace(/\B..(?=(?:..)*$)/g, ' $&')],
    [
      'as a fingerprint',
      secret
        .toString('hex')
        .toUpperCase()
        .replace(/\B..(?=(?:..)*$)/g, ':$&'),
    ],
    ['as bytes in JSON', [...secret].join(',')],
    ['as a list of bytes', [...secret].join(',\n  ')],
    ['as a slice that Go prints', [...secret].join(' ')],
    ['as bytes that Java prints', [...new Int8Array(secret)].join(', ')],
    ['as C# prints bytes', hexBytes(true).join('-').toUpperCase()],
    ['as Rust prints bytes', hexBytes().join(', ')],
    ['as Rust prints bytes in two digits', hexBytes(true).join(', ')],
    [
      'as Go writes bytes',
      hexBytes()
        .map((byte) => `0x${byte}`)
        .join(', '),
    ],
    [
      'as C writes bytes',
      hexBytes(true)
        .map((byte) => `0x${byte.toUpperCase()}`)
        .join(','),
    ],
    [
      'as an escaped text',
      hexBytes(true)
        .map((byte) => `\\x${byte}`)
        .join(''),
    ],
    [
      'as JSON with an escaped text',
      hexBytes(true)
        .map((byte) => `\\\\x${byte}`)
        .join(''),
    ],
  ])('%s', (_, form) => {
    expect(base64).toMatch(/^\+\/.*==$/);
    const text = `got ${form}, then v1,${form}; and ${base64.slice(0, 8)}`;
    expect(quoteAnswer(text, [Buffer.alloc(24, 'k'), secret])).toBe(
      `got [redacted], then v1,[redacted]; and ${base64.slice(0, 8)}`,
    );
  });

  it('but everything else is, also without a secret', () => {
    expect(quoteAnswer('no such customer: 42', [secret])).toBe('no such customer: 42');
    expect(quoteAnswer('no such customer: 42', [new Uint8Array()])).toBe('no such customer: 42');
  });
});

it('a text that looks like a secret for long is quoted at once', () => {
  const secrets = [Buffer.alloc(64), Buffer.from('0123456789abcdef'.repeat(8), 'hex')];
  const begun = performance.now();
  for (const part of ['0', '0 ', '00', '0x0 ', '0, ', '\\\\', '\\x00', '01 ', '01-', '1, ']) {
    quoteAnswer(`${part.repeat(4096).slice(0, 4096)}!`, secrets);
    quoteAnswer(`0${' '.repeat(4096)}!`, secrets);
  }
  expect(performance.now() - begun).toBeLessThan(1000);
});

const hex = (sign: string): string => sign.charCodeAt(0).toString(16);
const toLowerCase = (text: string): string => text.toLowerCase();
