import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseList } from '../../../../functions/adapters/service-api/parse-list.ts';
import { jsonText } from '../../../support/arbitraries.ts';

/** Lists as they are split: of objects, with nothing between them. Others are in `jsonText`, too. */
const list = fc.array(jsonText.object, { maxLength: 5 }).map((objects) => `[${objects.join(',')}]`);

/** What becomes of a text: a value, or `undefined` when it is not JSON. */
function outcome(parse: () => unknown): { readonly value: unknown } | undefined {
  try {
    return { value: parse() };
  } catch {
    return undefined;
  }
}

function expectTextsOfValues(text: string): void {
  const parsed = parseList(text);
  if (parsed.texts === undefined) return;
  expect(
    isDeepStrictEqual(
      parsed.texts.map((json) => JSON.parse(json) as unknown),
      parsed.value,
    ),
  ).toBe(true);
  expect(`[${parsed.texts.join(',')}]`).toBe(text);
}

describe('a body that is parsed entity by entity', () => {
  it('is what it is when it is parsed whole, and each text is that of its value', () => {
    fc.assert(
      fc.property(fc.oneof(list, jsonText.value), (text) => {
        expect(isDeepStrictEqual(parseList(text).value, JSON.parse(text))).toBe(true);
        expectTextsOfValues(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused if it would be when it is parsed whole, wherever it is broken', () => {
    const change = fc.tuple(
      fc.noBias(fc.nat(1000)),
      fc.nat(2),
      fc.constantFrom('', '{', '}', '[', ']', ',', '},{', '"', ' ', '\\', '0'),
    );
    fc.assert(
      fc.property(list, change, (text, [at, removed, added]) => {
        const start = at % text.length;
        const broken = text.slice(0, start) + added + text.slice(start + removed);
        const whole = outcome(() => JSON.parse(broken) as unknown);
        expect(
          isDeepStrictEqual(
            outcome(() => parseList(broken).value),
            whole,
          ),
        ).toBe(true);
        if (whole !== undefined) expectTextsOfValues(broken);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    '[{"id":1}',
    '[{"id":1}}',
    '[{"id":1},]',
    '[{"id":1},{]',
    '[{"id":1},{}]]',
    '[{"id":1}{}]',
  ])('is refused when it is %s', (text) => {
    expect(() => parseList(text)).toThrow(SyntaxError);
  });

  it.each([
    ['[{"id":1}]', ['{"id":1}']],
    [
      '[{"id":1},{"id":9007199254740993,"size":1.50},{"a":{"b":{}}}]',
      ['{"id":1}', '{"id":9007199254740993,"size":1.50}', '{"a":{"b":{}}}'],
    ],
    ['[{"id":1},{},{"id":2}]', ['{"id":1}', '{}', '{"id":2}']],
    ['[{"of":[1,2]},{"é\u{1f3d7}":"}{"}]', ['{"of":[1,2]}', '{"é\u{1f3d7}":"}{"}']],
  ])('has the text of each: %s', (text, texts) => {
    expect(parseList(text).texts).toEqual(texts);
  });

  it.each([
    ['has no entities', '[]'],
    ['is no list', '{"id":1}'],
    ['has white space around it', ' [{"id":1}]'],
    ['has white space between entities', '[{"id":1}, {"id":2}]'],
    ['has white space in its entities, which would be paid for', '[{"id": 1}]'],
    ['has white space before a name', '[{ "id":1},{ "id":2}]'],
    ['has no objects', '[1,2]'],
    ['has texts that look like its ends', '[{"id":"},{"},{"id":2}]'],
    ['is more than is to be kept in memory', `[{"name":"${'x'.repeat(1_000_000)}"}]`],
    ['has lists of objects in it', '[{"of":[{},{}]},{"id":2}]'],
  ])('has no texts when it %s', (_, text) => {
    expect(parseList(text)).toEqual({ value: JSON.parse(text) as unknown });
  });
});
