/**
 * A kind of entity that is embedded in another one's answer and becomes events of its own
 * (spec, "Versioning").
 */
export interface NestedResource {
  /** Field of the parent that holds it. The parent's own events leave this field out. */
  readonly field: string;
  /** Segment in the entity's subject: `…/<name>/<id>`. */
  readonly name: string;
  /** The word in the event type, in the singular. */
  readonly entity: string;
  /**
   * `list`: an array with all there are, so one that is missing was deleted.
   * `current`: one object, or null; another may take its place without this one being deleted.
   */
  readonly holds: 'list' | 'current';
}

/** A list endpoint of the service, and what its entities are called. */
export interface Resource {
  /** Unique name in the catalog: the last segment of the path. */
  readonly name: string;
  /** The word in the event type, in the singular: `floorplan` in `floorplan.updated`. */
  readonly entity: string;
  /**
   * Path of the list below `{base_url}/api/v3` (spec, "Operations"). One that contains
   * `{project_id}` is polled once per project.
   */
  readonly path: string;
  /** Query parameters sent with every request of the list. */
  readonly query?: Readonly<Record<string, string>>;
  readonly nested?: readonly NestedResource[];
}

/** Every list that is polled, the projects first: they are where the other feeds come from. */
export interface Catalog {
  readonly projects: Resource;
  /** Lists polled for each project. */
  readonly perProject: readonly Resource[];
}

/** What config may say about the catalog. */
export interface CatalogOptions {
  /**
   * Ask for floorplans with their current sheet (spec, changelog of 2021-03-30).
   * Without it sheets come only when the Service-Version is older than that.
   */
  readonly withCurrentSheet?: boolean;
  /** Further lists of the same shape, each with `{project_id}` in its path. */
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

/** The lists of the spec's "Operations", and what config adds to them. */
export function makeCatalog(options: CatalogOptions = {}): Catalog {
  const floorplans = options.withCurrentSheet
    ? { ...FLOORPLANS, query: { with_current_sheet: 'true' } }
    : FLOORPLANS;
  return {
    projects: PROJECTS,
    perProject: [floorplans, TEMPLATE_CHECKLISTS, ...(options.additionalResources ?? [])],
  };
}
