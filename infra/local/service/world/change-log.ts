import type { ServiceBehaviour } from '../behaviour.ts';
import type { Collection, Row } from './collection.ts';
import { WorldError } from './errors.ts';
import { Random } from './random.ts';

/** What the world's changes depend on. */
export interface ChangeLogOptions {
  readonly seed: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Read at every change, so they may be turned at any time. */
  readonly behaviour: Pick<ServiceBehaviour, 'roundTimestampsMs' | 'lateCommits'>;
}

/**
 * Gives every change its time, every entity its id, and decides when readers see a change.
 *
 * Times never step back from one change to the next, and no two versions of one entity share one.
 * Different entities do share one when they change in the same millisecond.
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

  /** A new UUID. */
  newId(): string {
    return this.#ids.uuid();
  }

  /**
   * Makes all changes of `work` at one time, in milliseconds since 1970, or at the latest change if
   * that is later. Readers see them at once, whatever the switches say.
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

  /** Adds an entity. `make` gets its id and its time. */
  add<T extends Row>(list: Collection<T>, make: (id: string, time: string) => T): T {
    return this.#save(list, make(this.newId(), this.#stamp(undefined)));
  }

  /** Saves an entity's next version. `make` gets the time of the change. */
  revise<T extends Row>(list: Collection<T>, row: T, make: (time: string) => Partial<T>): T {
    const time = this.#stamp(row.updated_at);
    return this.#save(list, { ...row, ...make(time), updated_at: time });
  }

  /** Gives an entity new values; one that has them already keeps its version. */
  edit<T extends Row>(
    list: Collection<T>,
    row: T,
    fields: NoInfer<Partial<T>>,
    additional: (time: string) => NoInfer<Partial<T>> = () => ({}),
  ): T {
    if (hasValues(row, fields)) return row;
    return this.revise(list, row, (time) => ({ ...fields, ...additional(time) }));
  }

  /** Marks an entity deleted; one that is deleted already keeps its version. */
  remove<T extends Row>(list: Collection<T>, row: T): T {
    if (row.deleted_at !== null) return row;
    return this.revise(list, row, (time) => ({ deleted_at: time }) as Partial<T>);
  }

  /** Marks an entity not deleted; one that is not deleted keeps its version. */
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

/** True when the row has all these values already. */
export function hasValues<T>(row: T, fields: Partial<T>): boolean {
  return (Object.keys(fields) as (keyof T)[]).every((key) => row[key] === fields[key]);
}

/** The newest version of an entity. */
export function findEntity<T extends Row>(list: Collection<T>, kind: string, id: string): T {
  const row = list.newest(id);
  if (row === undefined) throw new WorldError('not_found', `there is no ${kind} with id ${id}`);
  return row;
}

/** The newest version of an entity that must not be deleted. */
export function findAliveEntity<T extends Row>(list: Collection<T>, kind: string, id: string): T {
  const row = findEntity(list, kind, id);
  if (row.deleted_at !== null)
    throw new WorldError('deleted', `the ${kind} with id ${id} is deleted`);
  return row;
}
