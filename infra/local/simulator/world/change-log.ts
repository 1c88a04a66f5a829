import type { Behaviour } from '../behaviour.ts';
import { Random } from './random.ts';

export interface ChangeLogOptions {
  readonly seed: number;
  readonly now: () => number;
  /** Read at every change, so it may change at any time. */
  readonly behaviour: Pick<Behaviour, 'commitDelayMs'>;
}

/**
 * Stamps every change with its time, assigns ids, and decides when readers see a change.
 *
 * Times never decrease. Two versions of an entity never share a time; different entities do if they
 * change in the same millisecond.
 */
export class ChangeLog {
  readonly now: () => number;
  readonly #behaviour: ChangeLogOptions['behaviour'];
  readonly #ids: Random;
  #latest = 0;
  #frozenAt: number | undefined;

  constructor(options: ChangeLogOptions) {
    this.now = options.now;
    this.#behaviour = options.behaviour;
    this.#ids = new Random(options.seed, 'ids');
  }

  newId(): string {
    return this.#ids.uuid();
  }

  /**
   * Makes all changes of `work` at one time: now, or another in milliseconds since 1970, but not
   * before the latest change. Readers see them immediately.
   */
  atOnce<T>(work: () => T, time = this.now()): T {
    const outer = this.#frozenAt;
    this.#frozenAt = Math.max(time, this.#latest);
    try {
      return work();
    } finally {
      this.#frozenAt = outer;
    }
  }

  /** The time of the next version of an entity. @param previous that of the version before. */
  stamp(previous?: string): string {
    const time = this.#frozenAt ?? this.now();
    const after = previous === undefined ? 0 : Date.parse(previous) + 1;
    this.#latest = Math.max(time, after, this.#latest);
    return new Date(this.#latest).toISOString();
  }

  /** The time until which readers do not see a change; undefined if they see it at once. */
  lateUntil(): number | undefined {
    const { commitDelayMs } = this.#behaviour;
    const isLate = this.#frozenAt === undefined && commitDelayMs > 0;
    return isLate ? this.now() + commitDelayMs : undefined;
  }
}
