import fc from 'fast-check';

/** A canonical timestamp. */
export const timestamp = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** A record with some of its optional fields absent. `Required` makes a forgotten field a type error. */
export function anyOf<T>(
  model: { [K in keyof Required<T>]: fc.Arbitrary<Required<T>[K]> },
  requiredKeys: (keyof T)[],
): fc.Arbitrary<T> {
  return fc.record(model, { requiredKeys });
}

const space = fc.constantFrom('', '', '', '', ' ', '\n\t');

/** Texts that stand where a list is cut, among others. */
const text = fc.oneof(
  fc.constantFrom('},{', '[{', '}]', '__proto__', 'id', '"},{"', '\\'),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

const number = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '1e3', '-2.50E-3', '9007199254740993', '1e400'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

/** JSON of a text, in all ways that there are: some characters as they are, some escaped. */
const string = fc
  .array(fc.tuple(text, fc.constantFrom('plain', 'numbered', 'slashed')), { maxLength: 3 })
  .map((parts) => `"${parts.map(([part, how]) => escaped(part, how)).join('')}"`);

function escaped(part: string, how: 'plain' | 'numbered' | 'slashed'): string {
  const units = Array.from({ length: part.length }, (_, i) => part.charCodeAt(i));
  if (how === 'numbered') return units.map(asNumber).join('');
  const json = JSON.stringify(part).slice(1, -1);
  return how === 'slashed' ? json.replaceAll('/', '\\/') : json;
}

function asNumber(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

function joined(brackets: string, members: readonly string[], spaces: readonly string[]): string {
  const [before, between, after] = spaces as [string, string, string];
  return `${brackets.charAt(0)}${before}${members.join(`${between},${before}`)}${after}${brackets.charAt(1)}`;
}

/** JSON in all ways that it is written: white space, escapes, numbers, names that are there twice. */
export const jsonText = fc.letrec<Record<'value' | 'array' | 'object', string>>((tie) => {
  const spaces = fc.array(space, { minLength: 3, maxLength: 3 });
  const member = fc
    .tuple(string, space, space, tie('value'))
    .map(([name, before, after, value]) => `${name}${before}:${after}${value}`);
  return {
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom('null', 'true', 'false'),
      number,
      string,
      tie('object'),
      tie('array'),
    ),
    array: fc
      .tuple(fc.array(tie('value'), { maxLength: 3 }), spaces)
      .map(([values, around]) => joined('[]', values, around)),
    object: fc
      .tuple(fc.array(member, { maxLength: 3 }), spaces)
      .map(([members, around]) => joined('{}', members, around)),
  };
});
