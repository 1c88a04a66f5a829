import type { Row } from './entity-list.ts';

/** The times of every entity: ISO 8601, UTC, milliseconds (spec, "Resources and their fields"). */
interface Stamped extends Row {
  readonly created_at: string;
}

/** Fields of entities made on offline devices. */
interface MadeOnDevice {
  readonly device_created_at: string;
  readonly device_updated_at: string;
  readonly resolved_conflict: boolean;
}

/** Spec, "Project". */
export interface Project extends Stamped {
  readonly name: string;
  readonly account_id: number;
  readonly code: string | null;
  /** `#RRGGBB`. */
  readonly color: string;
  readonly plan_name: string;
}

/** Spec, "TemplateCheckItem". */
export interface TemplateCheckItem extends Stamped, MadeOnDevice {
  readonly template_checklist_id: string;
  readonly project_id: string;
  readonly name: string;
}

/** Spec, "TemplateCheckList", with its items; `shapes.ts` removes them for newer versions. */
export interface TemplateChecklist extends Stamped, MadeOnDevice {
  readonly project_id: string;
  readonly name: string;
  readonly creator_user_id: number;
  readonly last_editor_user_id: number;
  readonly template_check_items: readonly TemplateCheckItem[];
}

/** Clockwise, in degrees. */
export type Rotation = 0 | 90 | 180 | 270;

/** One drawing of a floorplan. The spec does not show its fields. */
export interface Sheet extends Stamped {
  readonly floorplan_id: string;
  readonly project_id: string;
  readonly name: string;
  readonly file_name: string;
  /** Counts the drawings uploaded to the floorplan, from 1. */
  readonly version: number;
  readonly rotation: Rotation;
}

/**
 * A floorplan, always with its current sheet; `shapes.ts` removes it for newer versions. The spec
 * does not show its fields.
 */
export interface Floorplan extends Stamped {
  readonly project_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly rotation: Rotation;
  /** Null until a drawing is uploaded. */
  readonly current_sheet: Sheet | null;
}
