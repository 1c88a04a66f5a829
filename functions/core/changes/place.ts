import type { EntityKey } from '../model/entity-state.ts';
import type { Timestamp } from '../model/timestamp.ts';

/** What the entities of a list, or of one parent's nested list, have in common. */
export interface Place {
  /** Word for the kind of entity: `floorplan`. */
  readonly entity: string;
  /** API path of the list. */
  readonly path: string;
  /** Set for a nested list. */
  readonly parent?: { readonly id: string; readonly version: Timestamp };
  /**
   * When an inferred delete of a shown entity is taken back, though `updated_at` is the same.
   * Absent: it is not.
   */
  readonly restoredAt?: Timestamp | undefined;
  /** Whether states are saved ahead of their events: the service may keep no trace of a change. */
  readonly isWrittenAhead?: boolean;
}

/** Identifies an entity and its place in the API. */
export interface Identity {
  readonly place: Place;
  readonly id: string;
  readonly key: EntityKey;
}
