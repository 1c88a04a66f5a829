import type { Change } from '../model/change.ts';
import { decodeEvent, type EntityState } from '../model/entity-state.ts';
import type { JsonObject } from '../model/entity.ts';
import { parseTimestamp } from '../model/timestamp.ts';
import type { Identity, ObservedEntity } from './observe.ts';

/** Why the last event of a state cannot be made again. */
export type NoLastChange =
  /** There was none: the entity was found in a silent baseline. */
  | 'silent'
  /** Its content was too large to keep. */
  | 'withoutContent';

/**
 * The change that led to a state: it makes the same event again, byte by byte. Old values are known
 * only until the event is published. Every field counts as changed if their names were too many to
 * keep.
 *
 * @param shown supplies content that was too large to keep, if its version is still the same.
 */
export function lastChange(
  state: EntityState,
  { entity, id, subject }: Identity,
  shown?: ObservedEntity,
): Change | NoLastChange {
  const event = state.event === undefined ? undefined : decodeEvent(state.event);
  if (event === undefined) return 'silent';
  const object = contentOf(state, id, shown);
  if (object === undefined) return 'withoutContent';
  const { version, sequence, inferred } = state;
  const { action, changed = fieldsOf(object) } = event;
  const deletedAt = action === 'deleted' ? parseTimestamp(object['deleted_at']) : undefined;
  const time = inferred ?? deletedAt ?? version;
  const previous = state.unpublished?.previous;
  return { action, entity, id, subject, time, sequence, object, changed, previous };
}

/** The event of an inferred delete had no other content either. */
function contentOf(
  { content, deleted, inferred, version }: EntityState,
  id: string,
  shown: ObservedEntity | undefined,
): JsonObject | undefined {
  if (content !== undefined) return content();
  if (deleted && inferred !== undefined) return { id };
  return shown?.version === version ? shown.object : undefined;
}

function fieldsOf(object: JsonObject): string[] {
  return Object.keys(object)
    .filter((field) => field !== 'id' && field !== 'updated_at')
    .sort();
}
