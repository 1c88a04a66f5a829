import type { Change } from '../model/change.ts';
import { decodeEvent, type EntityState } from '../model/entity-state.ts';
import type { JsonObject } from '../model/entity.ts';
import { parseTimestamp } from '../model/timestamp.ts';
import type { Observed } from './observe.ts';
import { changeOf, type Identity } from './place.ts';

/**
 * The change that led to a state: it makes the same event again, byte by byte. Old values are kept
 * until the event is published. Every field counts as changed if their names were too many to keep.
 *
 * @param entity supplies content that was too large to keep, if its version is still the same.
 * @returns undefined if there was none, in a silent baseline, or if its content was not kept.
 */
export function lastChange(state: EntityState, entity: Identity | Observed): Change | undefined {
  const event = state.event === undefined ? undefined : decodeEvent(state.event);
  const object = contentOf(state, entity);
  if (event === undefined || object === undefined) return undefined;
  const { version, sequence, inferred } = state;
  const { action, changed = fieldsOf(object) } = event;
  const deletedAt = action === 'deleted' ? parseTimestamp(object['deleted_at']) : undefined;
  const time = inferred ?? deletedAt ?? version;
  const previous = state.unpublished?.previous;
  return changeOf(entity, { action, time, sequence, object, changed, previous });
}

/** The event of an inferred delete had no other content either. */
function contentOf(
  { content, deleted, inferred, version }: EntityState,
  entity: Identity | Observed,
): JsonObject | undefined {
  if (content !== undefined) return content();
  if (deleted && inferred !== undefined) return { id: entity.id };
  return 'object' in entity && entity.version === version ? entity.object : undefined;
}

function fieldsOf(object: JsonObject): string[] {
  return Object.keys(object)
    .filter((field) => field !== 'id' && field !== 'updated_at')
    .sort();
}
