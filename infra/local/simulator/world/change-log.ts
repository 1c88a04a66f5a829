import type { Behaviour } from '../behaviour.ts';
import type { Collection, Row } from './collection.ts';
import { Random } from './random.ts';

export interface ChangeLogOptions {
  readonly seed: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Read at every change, so it may change at any time. */
  readonly behaviour: Pick<Behaviour, 'roundTimestampsMs' | 'lateCommits'>;
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
  readonly #lateness: Random;
  #latest = 0;
  #frozenAt: number | undefined;

  constructor(options: ChangeLogOptions) {
    this.now = options.now;
    this.#behaviour = options.behaviour;
    this.#ids = new Random(options.seed, 'ids');
    this.#lateness = new Random(options.seed, 'late commits');
  }

  newId(): string {
    return this.#ids.uuid();
  }

  /**
   * Makes all changes of `work` at one time (milliseconds since 1970), or at the time of the latest
   * change if that is later. Readers see them immediately, regardless of `lateCommits`.
   */
  at<T>(time: number, work: () => T): T {
    const outer = this.#frozenAt;
    this.#frozenAt = Math.max(time, this.#latest);
    try {
      return work();
    } finally {
      this.#frozenAt = outer;
    }
  }

  /** Adds an entity. `make` receives its id and its time. */
  add<T extends Row>(list: Collection<T>, make: (id: string, time: string) => T): T {
    return this.#save(list, make(this.newId(), this.#stamp()));
  }

  /** Saves an entity's next version. `make` receives its time. */
  revise<T extends Row>(list: Collection<T>, row: T, make: (time: string) => Partial<T>): T {
    const time = this.#stamp(row.updated_at);
    return this.#save(list, { ...row, ...make(time), updated_at: time });
  }

  /** Sets values of an entity. It keeps its version if it has them already. */
  edit<T extends Row>(
    list: Collection<T>,
    row: T,
    fields: NoInfer<Partial<T>>,
    additional: (time: string) => NoInfer<Partial<T>> = () => ({}),
  ): T {
    if (hasValues(row, fields)) return row;
    return this.revise(list, row, (time) => ({ ...fields, ...additional(time) }));
  }

  /** Marks an entity as deleted, or as alive. It keeps its version if it is so already. */
  setDeleted<T extends Row>(list: Collection<T>, row: T, isDeleted: boolean): T {
    if ((row.deleted_at !== null) === isDeleted) return row;
    return this.revise(
      list,
      row,
      (time) => ({ deleted_at: isDeleted ? time : null }) as Partial<T>,
    );
  }

  #save<T extends Row>(list: Collection<T>, row: T): T {
    const { probability, delayMs } = this.#behaviour.lateCommits;
    const isLate = this.#frozenAt === undefined && this.#lateness.chance(probability);
    list.put(row, isLate ? this.now() + delayMs : undefined);
    return row;
  }

  #stamp(previous?: string): string {
    const round = this.#behaviour.roundTimestampsMs;
    const time = this.#frozenAt ?? Math.floor(this.now() / round) * round;
    const after = previous === undefined ? 0 : Date.parse(previous) + 1;
    this.#latest = Math.max(time, after, this.#latest);
    return new Date(this.#latest).toISOString();
  }
}

/** Whether the row has all these values. */
export function hasValues<T>(row: T, fields: Partial<T>): boolean {
  return (Object.keys(fields) as (keyof T)[]).every((key) => row[key] === fields[key]);
}
