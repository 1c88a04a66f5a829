import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decimalOf,
  ExactNumber,
  parseJson,
} from '../../../../../functions/core/model/json/json.ts';

describe('a number', () => {
  it.each([
    '9007199254740993',
    '-18446744073709551615',
    '1e400',
    '1e-400',
    '10000000000000000000000000000000000000001e-7',
  ])('that JavaScript cannot hold is kept as it was written: %s', (text) => {
    const value = parseJson(text);
    expect(value).toEqual(new ExactNumber(text));
    expect(String(value)).toBe(text);
    expect(Number(value)).toBe(Number(text));
    for (const json of [`{"a":[${text}]}`, `{"__proto__":${text}}`, `[${text},"${text}"]`]) {
      expect(JSON.stringify(parseJson(json))).toBe(json);
      expect(JSON.stringify(parseJson(json.replaceAll(/([:,[])/g, '$1\n ')))).toBe(json);
    }
  });

  it.each<[string, number]>([
    ['1.0', 1],
    ['-0', 0],
    ['10E-1', 1],
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

  it('is dropped with the first of two fields of one name', () => {
    expect(parseJson('{"a":1e400,"a":2,"0":[1e401]}')).toEqual({
      '0': [new ExactNumber('1e401')],
      a: 2,
    });
  });
});

it.each([
  [['0', '-0', '0.00', '0e5'], '0'],
  [['1.5', '1.50', '150E-2', '0.15e1'], '15e-1'],
  [['-20', '-2e1', '-0.2e+2'], '-2e1'],
  [['1e99999999999999999999'], '1e99999999999999999999'],
])('%j have the value %s', (forms, value) => {
  expect(forms.map(decimalOf)).toEqual(forms.map(() => value));
});

it('a number in a text that is nested too deeply for the call stack is rounded', () => {
  const text = `${'['.repeat(50_000)}1e400${']'.repeat(50_000)}`;
  let value = parseJson(text);
  while (Array.isArray(value)) [value] = value as unknown[];
  expect(value).toBe(Infinity);
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

it.each(['[1e400', '[1e400,--1e401]', '[01e400]', '[1e400e5]', '["9007199254740993]', '[1.e400]'])(
  'throws a SyntaxError for %s',
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  },
);
