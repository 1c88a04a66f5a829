import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteAnswer } from '../../../../functions/adapters/webhook/quote-answer.ts';

it('a quotation is cut between characters, never within one', () => {
  const cut = quoteAnswer(`${'a'.repeat(199)}🏗 and more`, []);
  expect(cut).toBe(`${'a'.repeat(199)}…`);
  const unit = fc.constantFrom('a', 'é', '漢', '🏗', '👷');
  fc.assert(
    fc.property(fc.string({ unit, minLength: 190, maxLength: 220 }), (text) => {
      expect(quoteAnswer(text, []).isWellFormed()).toBe(true);
    }),
  );
});

it('a key in UTF-16 is not quoted', () => {
  const secret = Buffer.alloc(24, 'k');
  const text = Buffer.from(`key ${secret.toString('base64')}`, 'utf16le').toString();
  expect(quoteAnswer(text, [secret])).toBe('key [redacted]');
});

it('an answer that was cut is quoted without its end, which may be the start of a secret', () => {
  const secret = Buffer.from('0123456789abcdef'.repeat(3), 'hex');
  for (const form of [secret.toString('base64'), secret.toString('hex'), [...secret].join(', ')]) {
    const whole = `down for now\nCookie: session=${'x'.repeat(4_000)}\nkey ${form}`;
    for (let shown = 1; shown < form.length; shown += 1) {
      const text = whole.slice(0, shown - form.length);
      expect(quoteAnswer(text, [secret], true)).not.toContain('key');
    }
  }
  expect(quoteAnswer('down '.repeat(800), [secret], true)).toBe(`${'down '.repeat(40)}…`);
});

describe('a secret is not quoted', () => {
  // Its base64 has all three signs: +/…==
  const secret = Buffer.from(`fbffbf${'0123456789abcdef'.repeat(4)}`, 'hex').subarray(0, 34);
  const base64 = secret.toString('base64');
  const hexBytes = (isPadded = false) =>
    [...secret].map((byte) => byte.toString(16).padStart(isPadded ? 2 : 1, '0'));
  const indexed = (print: (index: number, byte: string) => string) =>
    [...secret].map(String).reduce((list, byte, index) => list + print(index, byte));
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
    ['as a typed array in JSON', JSON.stringify(new Uint8Array(secret)).slice('{"0":'.length, -1)],
    [
      'as a typed array in JSON in lines',
      JSON.stringify(new Uint8Array(secret), null, 2).slice('{\n  "0": '.length, -2),
    ],
    [
      'as a typed array in JSON within JSON',
      JSON.stringify(new Uint8Array(secret))
        .slice('{"0":'.length, -1)
        .replaceAll('"', String.raw`\"`),
    ],
    ['as a list that PHP prints', indexed((index, byte) => `\n    [${index}] => ${byte}`)],
    ['as a list that PHP dumps', indexed((index, byte) => `)\n  [${index}]=>\n  int(${byte}`)],
    ['as a table that counts from 1', indexed((index, byte) => `, [${index + 1}] = ${byte}`)],
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
      'as Python lists bytes',
      hexBytes()
        .map((byte) => `0x${byte}`)
        .join("', '"),
    ],
    ['as texts in JSON', hexBytes(true).join('","')],
    [
      'as a URL',
      hexBytes(true)
        .map((byte) => `%${byte}`)
        .join(''),
    ],
    [
      'as JSON escapes signs',
      hexBytes(true)
        .map((byte) => `\\u00${byte}`)
        .join(''),
    ],
    ['in lines of base64', base64.replaceAll(/.{10}/g, '$&\n')],
    ['in lines of base64 within JSON', base64.replaceAll(/.{10}/g, String.raw`$&\r\n`)],
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

describe('the bytes of the text of a secret are not quoted', () => {
  const bytes = (length: number, seed: number) =>
    Buffer.from(Array.from({ length }, (_, index) => (seed + index * 37) % 256));
  const prints: [string, (text: Buffer) => string][] = [
    ['in hexadecimal digits', (text) => text.toString('hex')],
    ['in base64', (text) => text.toString('base64')],
    ['as a list', (text) => JSON.stringify([...text])],
    ['as a typed array in JSON', (text) => JSON.stringify(new Uint8Array(text))],
    ['as Node.js prints bytes', (text) => inspect(text)],
  ];
  it.each(prints)('%s', (_, print) => {
    for (const length of [24, 25, 26, 32, 64]) {
      const secrets = [bytes(length, 1), bytes(32, 2), bytes(32, 3)];
      const [key, ...signatures] = secrets.map((each) => each.toString('base64'));
      const header = signatures.map((each) => `v1,${each}`);
      // A receiver may take the text for the key, or read it from a file.
      for (const text of [`whsec_${key}`, `whsec_${key}\n`, header[0], header.join(' ')]) {
        const printed = print(Buffer.from(text ?? ''));
        const rest = quoteAnswer(printed, secrets).replaceAll('[redacted]', '');
        expect(rest.length, printed).toBeLessThan(printed.length / 3);
      }
    }
  });

  it('nor are those of a long key that Node.js prints in part', () => {
    expect(quoteAnswer(inspect(bytes(64, 1)), [bytes(64, 1)])).toBe(
      '<Buffer [redacted] ... 14 more bytes>',
    );
  });
});

// A pattern that backtracks without bound would not end in the time of a test.
it('a text that looks like a secret for long is quoted', () => {
  const secrets = [
    Buffer.alloc(64),
    Buffer.alloc(64, 200),
    Buffer.from('0123456789abcdef'.repeat(8), 'hex'),
  ];
  for (const part of LIKE_SECRETS) {
    const text = part.repeat(4096).slice(0, 4096);
    expect(quoteAnswer(`${text}!`, secrets)).not.toBe('');
  }
  expect(quoteAnswer(`0${' '.repeat(4096)}!`, secrets)).not.toBe('');
});

/** Parts of texts that begin as the secrets of that test are printed. */
const LIKE_SECRETS = [
  ...['0', '0 ', '00', '0x0 ', '0, ', '\\\\', '\\x00', '01 ', '01-', '1, '],
  ...['-56, ', '-56,', '200, ', 'c8 ', '"0":-56,'],
  ...['"0":0,', '[0] => 0\n', '65,', '"0":65,', '41', '41 ', 'QUFB'],
];

const hex = (sign: string): string => sign.charCodeAt(0).toString(16);
const toLowerCase = (text: string): string => text.toLowerCase();
