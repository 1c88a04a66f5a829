import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decimalOf,
  ExactNumber,
  parseJson,
  weightOf,
} from '../../../../../functions/core/model/json/json.ts';

describe('a number', () => {
  it.each([
    '9007199254740993',
    '-18446744073709551615',
    '9007199254740992.5',
    '1e400',
    '-1E+400',
    '1e-400',
    '0.1234567890123456789',
    '10000000000000000000000000000000000000001e-7',
  ])('that JavaScript cannot hold is kept as it was written: %s', (text) => {
    const value = parseJson(text);
    expect(value).toEqual(new ExactNumber(text));
    expect(String(value)).toBe(text);
    for (const json of [`{"a":[${text}]}`, `{"__proto__":${text}}`, `[${text},"${text}"]`]) {
      expect(JSON.stringify(parseJson(json))).toBe(json);
      expect(JSON.stringify(parseJson(json.replaceAll(/([:,[])/g, '$1\n ')))).toBe(json);
    }
  });

  it.each<[string, number]>([
    ['1.0', 1],
    ['-0', 0],
    ['0e999', 0],
    ['10E-1', 1],
    ['1.50', 1.5],
    ['9007199254740992', 2 ** 53],
    ['100000000000000000000000', 1e23],
    ['0.30000000000000004', 0.1 + 0.2],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['5e-324', Number.MIN_VALUE],
  ])('that JavaScript can hold is a number, however it is written: %s', (text, number) => {
    const [value] = parseJson(`[${text}]`) as [number];
    expect(value === number).toBe(true);
    expect(JSON.stringify(value)).toBe(JSON.stringify(number));
  });

  it('within a text is text', () => {
    const json = JSON.stringify({
      'a":9007199254740993': ['\\', '":1e400,"', '\\"9007199254740993'],
    });
    expect(parseJson(json)).toEqual(JSON.parse(json));
    expect(parseJson(`[${json},1e400]`)).toEqual([JSON.parse(json), new ExactNumber('1e400')]);
  });

  it('is told from numbers and texts that look like its stand-in', () => {
    const json = '[5e-324,1e400,"5e-324",1e-323,-5e-324,1E-323,{"5e-324":1e401,"1":1.5e-323}]';
    const [a, b, c] = [5e-324, 1e-323, 1.5e-323];
    const [number, other] = [new ExactNumber('1e400'), new ExactNumber('1e401')];
    const expected = [a, number, '5e-324', b, -a, b, { '1': c, '5e-324': other }];
    expect(parseJson(json)).toEqual(expected);
  });

  it('is dropped with the first of two fields of one name', () => {
    expect(parseJson('{"a":1e400,"a":2,"0":[1e401]}')).toEqual({
      '0': [new ExactNumber('1e401')],
      a: 2,
    });
  });

  it('is found beside a text of many MB', () => {
    const text = `${'x'.repeat(1e7)}${'\\n'.repeat(1e6)}`;
    const [, number] = parseJson(`["${text}",1e400]`) as unknown[];
    expect(String(number)).toBe('1e400');
  });

  it('has its value in arithmetic, as far as JavaScript can hold it', () => {
    const number = parseJson('9007199254740993') as ExactNumber;
    expect(Number(number)).toBe(2 ** 53);
    expect(BigInt(String(number))).toBe(2n ** 53n + 1n);
  });

  it('is found at any depth, beyond the stack as well', () => {
    const depth = 20_000;
    let value = parseJson(`${'['.repeat(depth)}9007199254740993${']'.repeat(depth)}`);
    while (Array.isArray(value)) [value] = value as unknown[];
    expect(String(value)).toBe('9007199254740993');
  });
});

const literals = fc
  .tuple(
    fc.bigInt(),
    fc.option(fc.stringMatching(/^\d{1,25}$/)),
    fc.option(fc.integer({ max: 999 })),
  )
  .map(([whole, fraction, exponent]) =>
    [
      whole,
      ...(fraction === null ? [] : ['.', fraction]),
      ...(exponent === null ? [] : ['e', exponent]),
    ].join(''),
  );

it('keeps the value of every number', () => {
  fc.assert(
    fc.property(literals, (literal) => {
      const [written] = /-?\d[^}]*/.exec(JSON.stringify(parseJson(`{"a":${literal}}`))) ?? [''];
      expect(decimalOf(written)).toBe(decimalOf(literal));
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ['1', 0],
  ['[{},[],{"a":[{}]}]', 6 * 200 + 2 * 50],
  ['["{[", "\\"{", {}]', 2 * 200 + 2 * 50],
  ['{"a":1,"b,":",,"}', 200 + 50],
  ['[{}', 2 * 200],
  ['["{', 200],
])('%s weighs %i bytes', (text, weight) => {
  expect(weightOf(text, 0)).toBe(weight);
});

it('a body is not too heavy for the brackets and commas within its texts', () => {
  const text = `["${'[,'.repeat(100)}"]`;
  expect(weightOf(text, 200)).toBe(200);
  expect(weightOf(text, 1e6)).toBe(101 * 200 + 100 * 50);
});

// Work that grows with the square of the digits would not end in the time of a test.
it('a number with a million digits in its exponent is compared as it was written', () => {
  const number = `1e-${'9'.repeat(1e6)}`;
  expect(decimalOf(number)).toBe(number);
  expect(String(parseJson(`[${number}]`))).toBe(number);
});

it.each([
  '[1e400,--1e401]',
  '[1e400,---1e401]',
  '[1e400,- 1e401]',
  '[1e400,+1e401]',
  '[1e400,-.1e401]',
])('a number with too many signs is no JSON: %s', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

it('parses all other JSON as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (json, isMixed) => {
      const text = isMixed ? `[${json},1e400]` : json;
      const expected: unknown = JSON.parse(json);
      const value = parseJson(text);
      expect(isMixed ? (value as unknown[])[0] : value).toStrictEqual(expected);
    }),
  );
});

function outcome(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    return error;
  }
}

it.each([
  '',
  '[1e400',
  '{1e400:1}',
  '{1e400 :1}',
  '[-1e400-]',
  '[01e400]',
  '[1e400,"\\"',
  '[00009007199254740993]',
  '[1e400e5]',
  '["9007199254740993]',
  '[1.e400]',
])('throws the error of JSON.parse for %s', (text) => {
  expect(outcome(parseJson, text)).toBeInstanceOf(SyntaxError);
  expect(outcome(parseJson, text)).toEqual(outcome(JSON.parse, text));
});
