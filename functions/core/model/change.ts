import { type Timestamp } from './timestamp.ts';
import { type JsonObject } from './entity.ts';

/** What happened to an entity. */
export type Action = 'created' | 'updated' | 'deleted' | 'restored';

/** A change of one entity, worked out from what was known and what was seen. */
export interface Change {
  readonly action: Action;
  /** Word for the kind of entity: `floorplan`. */
  readonly entity: string;
  /** The entity's id. */
  readonly id: string;
  /** The entity's API path: `/projects/<project_id>/floorplans/<floorplan_id>`. */
  readonly subject: string;
  /** When it happened upstream. */
  readonly time: Timestamp;
  /** Orders the changes of one entity; with subject and action it makes the event's id. */
  readonly sequence: Timestamp;
  /** The entity as the service returned it, without lists that are events of their own. */
  readonly object: JsonObject;
  /** Names of the top-level fields that differ, without `updated_at`, sorted. */
  readonly changed: readonly string[];
  /** Old values of those fields; absent or undefined when they are not known. */
  readonly previous?: JsonObject | undefined;
}
