import type { JsonObject } from './entity.ts';
import type { Timestamp } from './timestamp.ts';

/** The kind of a change. */
export type Action = 'created' | 'updated' | 'deleted' | 'restored';

/** A change of one entity: the difference between its state and its observation. */
export interface Change {
  readonly action: Action;
  /** Word for the kind of entity: `floorplan`. */
  readonly entity: string;
  readonly id: string;
  /** The entity's API path: `/projects/<project_id>/floorplans/<floorplan_id>`. */
  readonly subject: string;
  /** When it happened, by the service's clock. */
  readonly time: Timestamp;
  /** Orders the changes of one entity. The event's id derives from subject, action and sequence. */
  readonly sequence: Timestamp;
  /** The entity as the service returned it, without nested lists. */
  readonly object: JsonObject;
  /** Names of the top-level fields that differ, without `updated_at`, sorted. */
  readonly changed: readonly string[];
  /** Old values of those fields; absent or undefined when they were not kept. */
  readonly previous?: JsonObject | undefined;
}
