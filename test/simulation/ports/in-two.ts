/** Splits a batch into two calls, as a large page takes many. */
export function inTwo<T>(all: readonly T[]): (readonly T[])[] {
  const middle = Math.ceil(all.length / 2);
  return [all.slice(0, middle), all.slice(middle)].filter(({ length }) => length > 0);
}
