import type { Change } from '../model/change.ts';
import type { EntityKey } from '../model/entity-state.ts';
import type { Feed } from '../model/feed.ts';
import type { Resource } from '../model/resource-catalog.ts';
import type { Timestamp } from '../model/timestamp.ts';

/** The common part of the entities of a list, or of one parent's nested list. */
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
  readonly inferredRestoreAt?: Timestamp | undefined;
  /** Set in a reconcile. Items changed later are not deleted: the answering copy may lag. */
  readonly settledAt?: Timestamp;
  /** Whether states are saved ahead of their events: the service may keep no trace of a change. */
  readonly isWrittenAhead?: boolean;
}

/** Identifies an entity and its place in the API. */
export interface Identity {
  readonly place: Place;
  readonly id: string;
  readonly key: EntityKey;
}

/** The change of an entity at its place. */
export function changeOf(
  { place, id }: Identity,
  { action, time, sequence, object, changed, previous }: Omit<Change, 'entity' | 'id' | 'subject'>,
): Change {
  const subject = `${place.path}/${id}`;
  return { action, entity: place.entity, id, subject, time, sequence, object, changed, previous };
}

/** The place of a feed's entities. */
export function placeOf(feed: Pick<Feed, 'id'>, { entity }: Resource): Place {
  return { entity, path: `/${feed.id}` };
}

/** @returns undefined for the key of another list. */
export function identityOf(
  key: EntityKey,
  feed: Pick<Feed, 'id'>,
  resource: Resource,
): Identity | undefined {
  const [entity = '', first = '', nestedId] = key.split('#');
  const place = placeOf(feed, resource);
  if (nestedId === undefined)
    return entity === resource.entity ? { place, id: first, key } : undefined;
  const nested = resource.nested?.find((each) => each.entity === entity);
  if (nested === undefined) return undefined;
  return { place: { entity, path: `${place.path}/${first}/${nested.name}` }, id: nestedId, key };
}
