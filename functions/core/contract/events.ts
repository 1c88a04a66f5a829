import type { Entities, EntityObject } from './entities.ts';

/** The word for a kind of entity, in the singular: `floorplan` in `floorplan.updated`. */
export type EntityName = keyof Entities;

/** What happened to an entity. */
export type Action = 'created' | 'updated' | 'deleted' | 'restored';

/** The types of the events that are always there: `<entity>.<action>`. */
export type EventType = `${EntityName}.${Action}`;

declare const additional: unique symbol;

/**
 * A type outside of {@link EventType}: of a list that the operator configured, `<entity>.<action>` too;
 * or of a later version. Assign it to a `string` to compare it. See `isKnownEvent`.
 */
export type AdditionalType = `${string}.${string}` & { readonly [additional]: true };

/** What an event says besides its data: the attributes of CloudEvents 1.0, and extensions to it. */
export interface EventAttributes<Type extends string> {
  /** Version of CloudEvents. */
  readonly specversion: '1.0';
  /**
   * 32 hex digits that identify the change: made of source, subject, action and version. The same change
   * has the same id on each delivery, so a repeat is told by it.
   */
  readonly id: string;
  /** The service that the entity lives in: `{base_url}/api/v3`. */
  readonly source: string;
  /** What happened to what: `<entity>.<action>`. */
  readonly type: Type;
  /** The entity's API path below `source`: `/projects/<project_id>/floorplans/<floorplan_id>`. */
  readonly subject: string;
  /**
   * When it happened, by the service's clock: `deleted_at` of a delete, else `updated_at`. Of an item that
   * vanished from its checklist, which has neither: its `sequence`.
   */
  readonly time: string;
  /** Media type of `data`. */
  readonly datacontenttype: 'application/json';
  /** Names the schema of `data` and its version: `urn:sitecast:schema:<type>:<version>`. */
  readonly dataschema: string;
  /**
   * Orders the events of one entity: its version as text of a fixed width, to be compared as text. Apply
   * an event only if its sequence is above the last one you have for its source and subject. The version
   * is `updated_at`; of an item that vanished from its checklist it is the checklist's, or a millisecond
   * more than the item's last one, whichever is later; and it never falls behind that when the item comes
   * back.
   */
  readonly sequence: string;
  /** The entity's id: what has the same key is published in order. */
  readonly partitionkey: string;
  /** When Sitecast saw the change. It differs when the same change is published again. */
  readonly recordedtime: string;
  /** Number of the account, as text. Absent where it is not known. */
  readonly accountid?: string;
  /** Id of the project. Absent where it is not known. */
  readonly projectid?: string;
  /**
   * Why the event was published. `poll`: the change was seen in a list, and all events are of that kind
   * today. `replay` and `reconcile` are kept for events that an operator publishes once more, or that are
   * found when whole lists are compared. More words may come.
   */
  readonly cause: string;
}

/** What changed, and what the entity is like now. */
export interface ChangeData<Entity extends EntityObject = EntityObject> {
  /**
   * The entity as the service returned it, without lists that are events of their own. Of an entity that
   * vanished: what was last known of it, which may be its id alone.
   */
  readonly object: Entity;
  /**
   * Names of the top-level fields that differ, sorted, without `updated_at`. Empty for what was created,
   * and when only `updated_at` moved or only what is nested.
   */
  readonly changed: readonly string[];
  /**
   * Old values of the fields that differ; a field that was not there is missing. Absent when they are not
   * known, as for what was created, or too large to be kept.
   */
  readonly previous?: Readonly<Partial<Entity>>;
}

/** An event of a certain type; of several types, the union of their events. */
export type ChangeEventOf<Type extends EventType> = {
  [T in Type]: EventAttributes<T> & {
    /** What changed, and what the entity is like now. */
    readonly data: ChangeData<EntityOf<T>>;
    readonly dataref?: never;
  };
}[Type];

/** The entity of an event type: `Floorplan` for `floorplan.updated`. */
export type EntityOf<Type extends EventType> =
  Type extends `${infer Name extends EntityName}.${Action}` ? Entities[Name] : never;

/** An event of another type than {@link EventType}. */
export interface AdditionalChangeEvent extends EventAttributes<AdditionalType> {
  /** What changed, and what the entity is like now. */
  readonly data: ChangeData;
  readonly dataref?: never;
}

/**
 * One change of one entity: a union over `type`.
 *
 * ```ts
 * switch (event.type) {
 *   case 'floorplan.updated':
 *     console.log(event.data.object.name, event.data.changed);
 * }
 * ```
 */
export type ChangeEvent = ChangeEventOf<EventType> | AdditionalChangeEvent;

/**
 * What comes in the place of an event that is too large for the topic: its attributes, and where it lies.
 */
export interface ClaimCheckEvent extends EventAttributes<EventType | AdditionalType> {
  /** Where the whole event lies, as JSON, for 30 days: `s3://<bucket>/events/<id>.json`. */
  readonly dataref: string;
  readonly data?: never;
}
