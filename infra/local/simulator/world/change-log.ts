import type { ServiceBehaviour } from '../behaviour.ts';
import type { Collection, Row } from './collection.ts';
import { Random } from './random.ts';

export interface ChangeLogOptions {
  readonly seed: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Read at every change, so it may change at any time. */
  readonly behaviour: Pick<ServiceBehaviour, 'roundTimestampsMs' | 'lateCommits'>;
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
    return this.#save(list, make(this.newId(), this.#stamp(undefined)));
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

  /** Marks an entity as deleted. A deleted entity keeps its version. */
  remove<T extends Row>(list: Collection<T>, row: T): T {
    if (row.deleted_at !== null) return row;
    return this.revise(list, row, (time) => ({ deleted_at: time }) as Partial<T>);
  }

  /** Restores a deleted entity. An alive entity keeps its version. */
  restore<T extends Row>(list: Collection<T>, row: T): T {
    if (row.deleted_at === null) return row;
    return this.revise(list, row, () => ({ deleted_at: null }) as Partial<T>);
  }

  #save<T extends Row>(list: Collection<T>, row: T): T {
    const { probability, delayMs } = this.#behaviour.lateCommits;
    const late = this.#frozenAt === undefined && this.#lateness.chance(probability);
    list.put(row, late ? this.now() + delayMs : undefined);
    return row;
  }

  #stamp(previous: string | undefined): string {
    const round = this.#behaviour.roundTimestampsMs;
    const time = this.#frozenAt ?? Math.floor(this.now() / round) * round;
    const after = previous === undefined ? 0 : Date.parse(previous) + 1;
    const stamp = Math.max(time, after, this.#latest);
    this.#latest = stamp;
    return new Date(stamp).toISOString();
  }
}

/** Reason of a {@link WorldError}. */
export type Refusal = 'not_found' | 'deleted';

/** The world refused a change; nothing has changed. */
export class WorldError extends Error {
  override readonly name = 'WorldError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

/** Whether the row has all these values. */
export function hasValues<T>(row: T, fields: Partial<T>): boolean {
  return (Object.keys(fields) as (keyof T)[]).every((key) => row[key] === fields[key]);
}

/** Returns the newest version of an entity. */
export function findEntity<T extends Row>(list: Collection<T>, kind: string, id: string): T {
  const row = list.newest(id);
  if (row === undefined) throw new WorldError('not_found', `there is no ${kind} with id ${id}`);
  return row;
}

/** Returns the newest version of an entity; refuses a deleted one. */
export function findAliveEntity<T extends Row>(list: Collection<T>, kind: string, id: string): T {
  const row = findEntity(list, kind, id);
  if (row.deleted_at !== null)
    throw new WorldError('deleted', `the ${kind} with id ${id} is deleted`);
  return row;
}
