import { validIdOf, type Entity } from './entity.ts';

/** A kind of entity that is embedded in its parent and has its own events (spec, "Versioning"). */
export interface NestedResource {
  /**
   * Field of the parent that holds it. The parent's events leave this field out; see {@link idField} for
   * a current entity.
   */
  readonly field: string;
  /** Segment in the entity's subject: `…/<name>/<id>`. */
  readonly name: string;
  /** The word in the event type, in the singular. */
  readonly entity: string;
  /**
   * `list`: a complete array, so an item that is missing was deleted.
   * `current`: one object or null; another may replace it without it being deleted.
   */
  readonly holds: 'list' | 'current';
}

/**
 * The field of the parent's events with the id of its current entity, or null: `current_sheet_id`. Only so
 * do they tell that an earlier one is current again, or none is.
 */
export function idField({ field }: NestedResource): string {
  return `${field}_id`;
}

/** A kind of list of the service. */
export interface Resource {
  /** Unique name in the catalog: the last segment of the path. */
  readonly name: string;
  /** The word in the event type, in the singular: `floorplan` in `floorplan.updated`. */
  readonly entity: string;
  /** Path below `{base_url}/api/v3` (spec, "Operations"). With `{project_id}`: one list per project. */
  readonly path: string;
  /** Query parameters sent with every request of the list. */
  readonly query?: Readonly<Record<string, string>>;
  readonly nested?: readonly NestedResource[];
}

/** All polled resources. */
export interface Catalog {
  readonly projects: Resource;
  /** Lists polled for each project. */
  readonly perProject: readonly Resource[];
}

export interface CatalogOptions {
  /**
   * Request floorplans with their current sheet. Otherwise sheets come only with a Service-Version
   * older than 2021-03-30 (spec, changelog).
   */
  readonly withCurrentSheet?: boolean;
  /** Additional lists, each with `{project_id}` in its path. */
  readonly additionalResources?: readonly Resource[];
}

const PROJECTS: Resource = { name: 'projects', entity: 'project', path: '/projects' };

const TEMPLATE_CHECKLISTS: Resource = {
  name: 'template_checklists',
  entity: 'template_checklist',
  path: '/projects/{project_id}/template_checklists',
  nested: [
    {
      field: 'template_check_items',
      name: 'template_check_items',
      entity: 'template_check_item',
      holds: 'list',
    },
  ],
};

const FLOORPLANS: Resource = {
  name: 'floorplans',
  entity: 'floorplan',
  path: '/projects/{project_id}/floorplans',
  nested: [{ field: 'current_sheet', name: 'sheets', entity: 'sheet', holds: 'current' }],
};

/** The lists of the spec's "Operations" and the additional ones. */
export function makeCatalog(options: CatalogOptions = {}): Catalog {
  const floorplans = options.withCurrentSheet
    ? { ...FLOORPLANS, query: { with_current_sheet: 'true' } }
    : FLOORPLANS;
  return {
    projects: PROJECTS,
    perProject: [floorplans, TEMPLATE_CHECKLISTS, ...(options.additionalResources ?? [])],
  };
}

/** The entity without its nested lists, and with the id of its current nested entity, or null. */
export function ownObject({ nested = [] }: Resource, entity: Entity): Entity {
  if (nested.every(({ field }) => entity[field] === undefined)) return entity;
  const present = nested.filter(({ field }) => entity[field] !== undefined);
  const fields = new Set(present.map(({ field }) => field));
  const own = Object.entries(entity).filter(([field]) => !fields.has(field));
  const ids = present
    .filter(({ holds }) => holds === 'current')
    .flatMap((each) => idOf(each, entity));
  // A field of the service has precedence.
  return Object.fromEntries([...ids, ...own]) as Entity;
}

/** The id field of the current entity, which may be invalid, and its value: null without a valid id. */
function idOf(nested: NestedResource, parent: Entity): [string, string | null][] {
  return [[idField(nested), validIdOf(parent[nested.field]) ?? null]];
}
