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
