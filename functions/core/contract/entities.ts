/**
 * The entities of the service, as its specification describes them.
 *
 * An event carries an entity as the service returned it: fields that are not listed here pass
 * through, and so does any departure from the specification. An optional field is present whenever
 * the service returned it. Sitecast itself guarantees only `id`: a removed entity without stored
 * content has no other field.
 *
 * The sentences above the fields are the descriptions in the JSON Schemas.
 */

/** The fields of all entities. */
export interface EntityObject {
  /**
   * Identifies the entity among those of its kind: a UUID, or another text or an integer. The
   * event's `subject` and `partitionkey` have it as text.
   */
  readonly id: string | number;
  /** When the entity was created: ISO 8601, UTC, milliseconds. */
  readonly created_at?: string | null;
  /** Version: when the entity last changed, by the service's clock: ISO 8601, UTC, milliseconds. */
  readonly updated_at?: string;
  /**
   * When the entity was deleted: ISO 8601, UTC, milliseconds. Null when it is not deleted. It is
   * also null for an item that left its checklist: only the event's type says that.
   */
  readonly deleted_at?: string | null;
  /** Any other field that the service returned. */
  readonly [field: string]: unknown;
}

/** A construction project. */
export interface Project extends EntityObject {
  /** Name of the project. */
  readonly name?: string;
  /** Number of the account that the project belongs to. */
  readonly account_id?: number;
  /** Short code of the project; null when it has none. */
  readonly code?: string | null;
  /** Colour of the project, as `#RRGGBB`. */
  readonly color?: string;
  /** Name of the project's plan. */
  readonly plan_name?: string;
}

/**
 * A floorplan of a project, without its current sheet, which has its own events. The service's
 * specification does not list the fields of a floorplan.
 */
export interface Floorplan extends EntityObject {
  /** Name of the floorplan. */
  readonly name?: string;
  /**
   * Id of the current sheet, as text; null when there is none, or none with a valid id. Sitecast
   * adds it in place of the sheet itself, if the service shows sheets.
   */
  readonly current_sheet_id?: string | null;
}

/**
 * The current sheet of a floorplan: its drawing. A replaced sheet is not deleted. A sheet without
 * `updated_at` has that of its floorplan. The service's specification does not list the fields of a
 * sheet.
 */
export interface Sheet extends EntityObject {
  /** Name of the sheet. */
  readonly name?: string;
}

/** The fields of entities that are created on devices, which may be offline. */
export interface MadeOnDevice {
  /** When the entity was created, by the clock of the device: ISO 8601, UTC, milliseconds. */
  readonly device_created_at?: string | null;
  /** When the entity last changed, by the clock of the device: ISO 8601, UTC, milliseconds. */
  readonly device_updated_at?: string | null;
  /** Whether the service resolved a conflict between changes from several devices. */
  readonly resolved_conflict?: boolean;
}

/** A template of checklists, without its items, which have their own events. */
export interface TemplateChecklist extends EntityObject, MadeOnDevice {
  /** Id of the project that the checklist belongs to. */
  readonly project_id?: string | number;
  /** Name of the checklist. */
  readonly name?: string;
  /** Number of the user who created the checklist. */
  readonly creator_user_id?: number;
  /** Number of the user who last changed the checklist. */
  readonly last_editor_user_id?: number;
}

/** An item of a template checklist. */
export interface TemplateCheckItem extends EntityObject, MadeOnDevice {
  /** Id of the checklist that the item belongs to. */
  readonly template_checklist_id?: string | number;
  /** Id of the project that the item belongs to. */
  readonly project_id?: string | number;
  /** Name of the item: the thing to check. */
  readonly name?: string;
}

/** The entities that have events, by their name in the event type. */
export interface Entities {
  readonly project: Project;
  readonly floorplan: Floorplan;
  readonly template_checklist: TemplateChecklist;
  readonly template_check_item: TemplateCheckItem;
  readonly sheet: Sheet;
}
