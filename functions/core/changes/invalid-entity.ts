import type { InvalidEntity } from '../model/entity.ts';
import { cutToDepth } from '../model/json/depth.ts';
import type { Place } from './place.ts';

/**
 * An entity that could not be worked on. It would stop its list again on each poll, so that it goes
 * to the quarantine.
 */
export function invalidEntity(value: unknown, error: unknown, place: Place): InvalidEntity {
  const reason = `the entity could not be processed: ${String(error)}`;
  return { value: cutToDepth(value), reason, ...parentOf(place) };
}

/** Where an invalid entity of a nested list was found. */
export function parentOf({ path, parent }: Place): Pick<InvalidEntity, 'parent'> {
  return parent ? { parent: { path, version: parent.version } } : {};
}
