/**
 * Deterministic random numbers: the same seed and stream give the same sequence on any machine.
 * Each user has a stream of its own, so that a change in one does not affect the others. The
 * generator is mulberry32.
 */
export class Random {
  #state: number;

  /**
   * @param seed any integer.
   * @param stream name of its user.
   */
  constructor(seed: number, stream: string) {
    this.#state = seed >>> 0;
    for (const char of stream) {
      this.#state = Math.imul(this.#state ^ (char.codePointAt(0) ?? 0), 0x9e3779b1) >>> 0;
    }
  }

  /** A whole number from 0 to 2³² − 1. */
  bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number from 0 to `limit` − 1. */
  below(limit: number): number {
    return Math.floor((this.bits() / 2 ** 32) * limit);
  }

  chance(probability: number): boolean {
    return this.bits() / 2 ** 32 < probability;
  }

  pick<const V extends readonly [unknown, ...unknown[]]>(values: V): V[number] {
    return values[this.below(values.length)] ?? values[0];
  }

  uuid(): string {
    const hex = Array.from({ length: 4 }, () => this.bits().toString(16).padStart(8, '0')).join('');
    const variant = '89ab'.charAt(this.below(4));
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, `$1-$2-4$3-${variant}$4-$5`);
  }
}
