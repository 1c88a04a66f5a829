import fc from 'fast-check';

/** The values of an arbitrary. */
export type Made<A> = A extends fc.Arbitrary<infer Value> ? Readonly<Value> : never;

/** Before which step something happens, modulo their number. */
export const beforeStep = fc.nat({ max: 49 });

/** Any of these numbers; one that is given twice is twice as likely. */
export function oneOf(...values: readonly number[]): fc.Arbitrary<number> {
  return fc.constantFrom(...values);
}

/** The first value half of the time. */
export function mostly<const T extends string>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(fc.constant(usual), fc.constantFrom(usual, ...others));
}

export function rarelyTrue(): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: 7 }).map((n) => n === 7);
}

/** Undefined mostly. */
export function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

/** Undefined nearly always. */
export function seldom<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

/** Names like `rename project`. */
export function changesOf<const Noun extends string, const Verb extends string>(
  noun: Noun,
  ...verbs: readonly Verb[]
) {
  return verbs.map((verb) => `${verb} ${noun}` as const);
}
