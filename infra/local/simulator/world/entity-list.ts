import { ServiceError } from '../service-error.ts';
import type { ChangeLog } from './change-log.ts';

/** Fields that a list needs of its entities. */
export interface Row {
  readonly id: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
}

/**
 * The entities of one list, by `updated_at` and then id, including deleted ones, and their changes.
 * Each change returns the new version.
 */
export class EntityList<T extends Row> {
  protected readonly changeLog: ChangeLog;
  #rows: readonly T[] = [];
  /** Versions that readers do not see yet, by id. */
  readonly #late = new Map<string, { readonly row: T; readonly visibleAt: number }>();

  constructor(changeLog: ChangeLog) {
    this.changeLog = changeLog;
  }

  /** All entities that readers see, in the order of the list. */
  all(): readonly T[] {
    const now = this.changeLog.now();
    for (const { row, visibleAt } of this.#late.values()) {
      if (visibleAt <= now) this.#show(row);
    }
    return this.#rows;
  }

  /** The entity as readers see it. @throws ServiceError 404 if they see none. */
  get(id: string): T {
    const row = this.all().find((each) => each.id === id);
    if (row) return row;
    throw new ServiceError(404, `there is no entity with id ${id}`);
  }

  /** The newest version of each visible entity, visible or not. The next change starts from it. */
  newestRows(): readonly T[] {
    return this.all().map((row) => this.#late.get(row.id)?.row ?? row);
  }

  /** Adds an entity. `make` receives its id and its time. */
  add(make: (id: string, time: string) => T): T {
    return this.#save(make(this.changeLog.newId(), this.changeLog.stamp()));
  }

  /** Saves a next version. @throws ServiceError 404 if there is none, 409 if it is deleted. */
  revise(id: string, make: (row: T, time: string) => Partial<T>): T {
    const row = this.#newest(id);
    if (row.deleted_at === null) return this.#revise(row, make);
    throw new ServiceError(409, `the entity with id ${id} is deleted`);
  }

  update(id: string, fields: Partial<T>): T {
    return this.revise(id, () => fields);
  }

  remove(id: string): T {
    return this.#setDeleted(id, true);
  }

  restore(id: string): T {
    return this.#setDeleted(id, false);
  }

  /** Removes an entity without a trace. */
  destroy(id: string): void {
    this.#late.delete(id);
    this.#rows = this.#rows.filter((row) => row.id !== id);
  }

  /** It keeps its version if it is so already. */
  #setDeleted(id: string, isDeleted: boolean): T {
    const row = this.#newest(id);
    if ((row.deleted_at !== null) === isDeleted) return row;
    return this.#revise(row, (_, time) => ({ deleted_at: isDeleted ? time : null }) as Partial<T>);
  }

  #newest(id: string): T {
    return this.#late.get(id)?.row ?? this.get(id);
  }

  #revise(row: T, make: (row: T, time: string) => Partial<T>): T {
    const time = this.changeLog.stamp(row.updated_at);
    return this.#save({ ...row, ...make(row, time), updated_at: time });
  }

  /** Readers see the version immediately, or later if it is a late commit. */
  #save(row: T): T {
    const earlier = this.#late.get(row.id);
    if (earlier) this.#show(earlier.row);
    const visibleAt = this.changeLog.lateUntil();
    if (visibleAt === undefined) this.#show(row);
    else this.#late.set(row.id, { row, visibleAt });
    return row;
  }

  #show(row: T): void {
    this.destroy(row.id);
    const keyOf = ({ updated_at, id }: Row): string => updated_at + id;
    const index = this.#rows.findLastIndex((each) => keyOf(each) < keyOf(row));
    this.#rows = this.#rows.toSpliced(index + 1, 0, row);
  }
}
