/**
 * What the entities of the service look like, as its specification describes them.
 *
 * An event carries an entity as the service returned it: fields that are not listed here pass through
 * untouched, and should the service once depart from its specification, so does the event. A field that
 * is optional here is there whenever the service showed it. What Sitecast itself vouches for is `id`:
 * an entity that vanished before its content was kept comes as that alone.
 *
 * The sentences above the fields are the descriptions in the JSON Schemas.
 */

/** What all entities have in common. */
export interface EntityObject {
  /** Identifies the entity: a UUID, or another text that is unique among entities of its kind. */
  readonly id: string;
  /** When the entity was made: ISO 8601, UTC, milliseconds. */
  readonly created_at?: string | null;
  /** When the entity changed last, by the service's clock: ISO 8601, UTC, milliseconds. Its version. */
  readonly updated_at?: string;
  /**
   * When the entity was deleted: ISO 8601, UTC, milliseconds. Null when it is not. It does not tell alone:
   * an item that vanished from its list is deleted, as the event's type says, and this still is null.
   */
  readonly deleted_at?: string | null;
  /** What else the service returned. */
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
  /** Name of the plan that the project is booked under. */
  readonly plan_name?: string;
}

/**
 * A floorplan of a project, without its current sheet, whose events are its own. The service's
 * specification does not show the fields of a floorplan.
 */
export interface Floorplan extends EntityObject {
  /** Name of the floorplan. */
  readonly name?: string;
}

/**
 * The current sheet of a floorplan: its drawing. Another one may take its place without this one being
 * deleted. The service's specification does not show the fields of a sheet.
 */
export interface Sheet extends EntityObject {
  /** Name of the sheet. */
  readonly name?: string;
}

/** What entities have that are made on devices, which may be offline. */
export interface MadeOnDevice {
  /** When the entity was made, by the clock of the device: ISO 8601, UTC, milliseconds. */
  readonly device_created_at?: string | null;
  /** When the entity changed last, by the clock of the device: ISO 8601, UTC, milliseconds. */
  readonly device_updated_at?: string | null;
  /** Whether the service settled a conflict between changes of several devices. */
  readonly resolved_conflict?: boolean;
}

/** A template of checklists, without its items, whose events are their own. */
export interface TemplateChecklist extends EntityObject, MadeOnDevice {
  /** Id of the project that the checklist belongs to. */
  readonly project_id?: string;
  /** Name of the checklist. */
  readonly name?: string;
  /** Number of the user who made the checklist. */
  readonly creator_user_id?: number;
  /** Number of the user who changed the checklist last. */
  readonly last_editor_user_id?: number;
}

/** An item of a template checklist. */
export interface TemplateCheckItem extends EntityObject, MadeOnDevice {
  /** Id of the checklist that the item belongs to. */
  readonly template_checklist_id?: string;
  /** Id of the project that the item belongs to. */
  readonly project_id?: string;
  /** Name of the item: what is to be checked. */
  readonly name?: string;
}

/** The entities that have events, by their word in the type. */
export interface Entities {
  readonly project: Project;
  readonly floorplan: Floorplan;
  readonly template_checklist: TemplateChecklist;
  readonly template_check_item: TemplateCheckItem;
  readonly sheet: Sheet;
}
