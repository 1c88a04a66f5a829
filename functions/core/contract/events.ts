import type { Action } from '../model/change.ts';
import type { Entities, EntityObject } from './entities.ts';

/** The name of a kind of entity, in the singular: `floorplan` in `floorplan.updated`. */
export type EntityName = keyof Entities;

/** The event types of this version of the contract: `<entity>.<action>`. */
export type EventType = `${EntityName}.${Action}`;

declare const additional: unique symbol;

/**
 * A type outside of {@link EventType}: of a list that the operator configured, also
 * `<entity>.<action>`, or of a later version. Assign it to a `string` to compare it. See
 * `isKnownEvent`.
 */
export type AdditionalType = `${string}.${string}` & { readonly [additional]: true };

/** The attributes of an event: those of CloudEvents 1.0, and extensions. */
export interface EventAttributes<Type extends string> {
  /** Version of CloudEvents. */
  readonly specversion: '1.0';
  /**
   * 32 hex digits that identify the change, derived from source, subject, action and sequence. The
   * same change has the same id on each delivery, so it identifies repeats.
   */
  readonly id: string;
  /** The service that returned the entity: `{base_url}/api/v3`. */
  readonly source: string;
  /** The kind of entity and the change: `<entity>.<action>`. */
  readonly type: Type;
  /** The entity's API path below `source`: `/projects/<project_id>/floorplans/<floorplan_id>`. */
  readonly subject: string;
  /**
   * When it happened, by the service's clock: `deleted_at` for a delete, otherwise `updated_at`.
   * For an item that left its checklist or came back, `updated_at` of the checklist. For an entity
   * removed without a trace, the time at which a reconcile found that.
   */
  readonly time: string;
  /** Media type of `data`. */
  readonly datacontenttype: 'application/json';
  /** Names the schema of `data` and its version: `urn:sitecast:schema:<type>:<version>`. */
  readonly dataschema: string;
  /**
   * Orders the events of one entity: `updated_at` as text of a fixed width. Compare sequences as
   * text, and apply an event only if its sequence is above the last one you have for its source and
   * subject. A removal without a `deleted_at`, and the return after it, have no `updated_at`: their
   * sequence is one nanosecond above the last one.
   */
  readonly sequence: string;
  /** The entity's id: events with the same key are published in order. */
  readonly partitionkey: string;
  /** When Sitecast saw the change. A repeat has another one. */
  readonly recordedtime: string;
  /** Number of the account, as text. Absent when unknown. */
  readonly accountid?: string;
  /** Id of the project. Absent when unknown, and for lists of the whole account. */
  readonly projectid?: string;
  /**
   * Why the event was published. `poll`: a list showed the change. `replay`: an operator published
   * it again, with the same `id` and without `previous`. `reconcile`: comparing whole lists showed
   * it. `test`: an operator tests a webhook, and nothing has changed. More causes may come.
   */
  readonly cause: string;
}

/** The changed fields and the entity after the change. */
export interface ChangeData<Entity extends EntityObject = EntityObject> {
  /**
   * The entity as the service returned it, without nested entities, which have their own events.
   * For an entity that was removed: its last stored content, which may be its id alone.
   */
  readonly object: Entity;
  /**
   * Names of the top-level fields that differ, sorted, without `updated_at`. Empty for a created
   * entity, and when only `updated_at` or nested entities changed.
   */
  readonly changed: readonly string[];
  /**
   * Old values of the fields that differ; a new field has none. Absent when unknown, as for a
   * created entity, or when they were too large to keep.
   */
  readonly previous?: Readonly<Partial<Entity>>;
}

/** An event of a certain type; of several types, the union of their events. */
export type ChangeEventOf<Type extends EventType> = {
  [T in Type]: EventAttributes<T> & {
    /** The changed fields and the entity after the change. */
    readonly data: ChangeData<EntityOf<T>>;
    readonly dataref?: never;
  };
}[Type];

/** The entity of an event type: `Floorplan` for `floorplan.updated`. */
export type EntityOf<Type extends EventType> =
  Type extends `${infer Name extends EntityName}.${Action}` ? Entities[Name] : never;

/** An event of another type than {@link EventType}. */
export interface AdditionalChangeEvent extends EventAttributes<AdditionalType> {
  /** The changed fields and the entity after the change. */
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
 * Replaces an event that is too large for the topic: its attributes, and the address of the whole
 * event.
 */
export interface ClaimCheckEvent extends EventAttributes<EventType | AdditionalType> {
  /**
   * The address of the whole event as JSON, stored for 30 days: `s3://<bucket>/events/<id>.json`,
   * or `<id>.<cause>.json` if the cause is not `poll`. Sent to a webhook, it is an https address
   * that needs no credentials.
   */
  readonly dataref: string;
  readonly data?: never;
}
