/** One entry of the embedded metric format takes 100 values; with the last of them Powertools ends the entry. */
const MAX_VALUES = 99;

/**
 * Values of which so many are kept that their percentiles stay right. So a run with a hundred thousand
 * events writes one short entry, and holds little memory.
 */
export class ValueSample {
  /** How often each value came, rounded to two digits. */
  readonly #counts = new Map<number, number>();
  #count = 0;
  #max = 0;

  /** @param value not negative: CloudWatch has no percentiles of negative values. */
  add(value: number): void {
    const rounded = Number(value.toPrecision(2));
    this.#counts.set(rounded, (this.#counts.get(rounded) ?? 0) + 1);
    this.#count += 1;
    this.#max = Math.max(this.#max, value);
  }

  /** At most 99 values, evenly spaced among all in order; the largest is exact. */
  take(): readonly number[] {
    const size = Math.min(this.#count, MAX_VALUES);
    const sorted = [...this.#counts].sort(([a], [b]) => a - b);
    const values: number[] = [];
    let passed = 0;
    for (const [value, count] of sorted) {
      passed += count;
      while (values.length < size && (values.length + 1) * this.#count <= passed * size) {
        values.push(value);
      }
    }
    if (size > 0) values[size - 1] = this.#max;
    this.#counts.clear();
    this.#count = this.#max = 0;
    return values;
  }
}
