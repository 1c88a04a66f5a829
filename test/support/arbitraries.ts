import fc from 'fast-check';

/** A canonical timestamp. */
export const timestamp = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

const SURROGATES = [0xd800, 0xdfff] as const;
const SURROGATE_COUNT = SURROGATES[1] - SURROGATES[0] + 1;

/** Any character. The unit `binary` of fast-check takes a second to list them first. */
export const anyCharacter = fc.nat(0x10ffff - SURROGATE_COUNT).map(
  (n) => String.fromCodePoint(n < SURROGATES[0] ? n : n + SURROGATE_COUNT),
  (character) => {
    const text = String(character);
    const code = text.codePointAt(0) ?? 0;
    if (String.fromCodePoint(code) !== text) throw new Error('not one character');
    return code < SURROGATES[0] ? code : code - SURROGATE_COUNT;
  },
);

/** A record without some optional fields. `Required` makes a forgotten field a type error. */
export function anyOf<T>(
  model: { [K in keyof Required<T>]: fc.Arbitrary<Required<T>[K]> },
  requiredKeys: (keyof T)[],
): fc.Arbitrary<T> {
  return fc.record(model, { requiredKeys });
}
