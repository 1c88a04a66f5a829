import fc from 'fast-check';

/** The values of an arbitrary. */
export type Made<A> = A extends fc.Arbitrary<infer Value> ? Readonly<Value> : never;

/** Before which step something happens, modulo their number. */
export const beforeStep = fc.nat({ max: 49 });

/** Any of these numbers; a number that is given twice is twice as likely. */
export function oneOf(...values: readonly number[]): fc.Arbitrary<number> {
  return fc.constantFrom(...values);
}

/** The first value half of the time. */
export function mostly<const T extends string>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(fc.constant(usual), fc.constantFrom(usual, ...others));
}

/** Some in one history of so many, else none. */
export function someInOneOf<T>(
  histories: number,
  arbitrary: fc.Arbitrary<T>,
  maxLength: number,
): fc.Arbitrary<readonly T[]> {
  return fc.oneof(
    { weight: histories - 1, arbitrary: fc.constant<readonly T[]>([]) },
    { weight: 1, arbitrary: fc.array(arbitrary, { minLength: 1, maxLength }) },
  );
}

/** Names like `rename project`. */
export function changesOf<const Noun extends string, const Verb extends string>(
  noun: Noun,
  ...verbs: readonly Verb[]
) {
  return verbs.map((verb) => `${verb} ${noun}` as const);
}
