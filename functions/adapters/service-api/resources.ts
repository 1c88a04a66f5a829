import type { Entity } from '../../core/model/entity.ts';
import type { Page } from '../../core/ports/service-api.ts';

/**
 * A project, see the spec ("Resources and their fields"). Only the fields of {@link Entity} are validated;
 * the others are as the service sent them, and absent in a version that does not have them. Fields that
 * are not named here pass through.
 */
export interface Project extends Entity {
  readonly name?: string;
  readonly account_id?: number;
  readonly code?: string | null;
  /** `#RRGGBB`. */
  readonly color?: string;
  readonly plan_name?: string;
}

/** A template for checklists. */
export interface TemplateCheckList extends Entity {
  readonly project_id?: string;
  readonly name?: string;
  readonly creator_user_id?: number;
  readonly last_editor_user_id?: number;
  readonly device_created_at?: string;
  readonly device_updated_at?: string;
  readonly resolved_conflict?: boolean;
  /** Only with a Service-Version before 2021-04-15. */
  readonly template_check_items?: readonly TemplateCheckItem[];
}

/** One item of a {@link TemplateCheckList}. It is not validated. */
export interface TemplateCheckItem {
  readonly id?: string;
  readonly template_checklist_id?: string;
  readonly project_id?: string;
  readonly name?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly deleted_at?: string | null;
  readonly device_created_at?: string;
  readonly device_updated_at?: string;
  readonly resolved_conflict?: boolean;
}

/**
 * A plan of a floor. The spec shows none of its own fields; its current sheet is embedded with
 * `with_current_sheet=true` or a Service-Version before 2021-03-30.
 */
export type Floorplan = Entity;

/** A {@link Page} of one resource. */
export interface PageOf<T extends Entity> extends Page {
  readonly entities: readonly T[];
}
