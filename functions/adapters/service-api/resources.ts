import type * as contract from '../../core/contract/entities.ts';
import type { Entity } from '../../core/model/entity.ts';
import type { Page } from '../../core/ports/service-api.ts';

/**
 * A project. Only the fields of {@link Entity} are validated; the others are as the service sent them,
 * and absent in a version that does not have them. Fields that are not named pass through.
 */
export type Project = contract.Project & Entity;

/** A template for checklists. */
export type TemplateCheckList = contract.TemplateChecklist &
  Entity & {
    /** Only with a Service-Version before 2021-04-15. Not validated. */
    readonly template_check_items?: readonly TemplateCheckItem[];
  };

/** An item of a {@link TemplateCheckList}. */
export type TemplateCheckItem = Partial<contract.TemplateCheckItem>;

/**
 * A plan of a floor. The spec shows none of its own fields; its current sheet is embedded with
 * `with_current_sheet=true` or a Service-Version before 2021-03-30.
 */
export type Floorplan = Entity;

/** A {@link Page} of one resource. */
export interface PageOf<T extends Entity> extends Page {
  readonly entities: readonly T[];
}
