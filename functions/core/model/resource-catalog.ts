import { BUILT_IN_LISTS } from '#built-in-lists';

/** A kind of entity that is embedded in its parent and has its own events (spec, "Versioning"). */
export interface NestedResource {
  /** Fields of the parent, of which any may hold it. The parent's events leave them out. */
  readonly fields: readonly string[];
  /** Segment in the entity's subject: `…/<name>/<id>`. */
  readonly name: string;
  /** The word in the event type, in the singular. */
  readonly entity: string;
  /**
   * `list`: a complete array: an item that it lacks was deleted.
   * `current`: an object, an array of objects, or null; a replaced one was not deleted.
   */
  readonly holds: 'list' | 'current';
  /** The field that the parent's events get: the id of its current entity, or null. */
  readonly idField?: string;
  /** First version of the service whose answers leave it out (spec, changelog). */
  readonly leftOutSince?: string;
  /** A field of the config, and the parameters with which the parent's list still shows it. */
  readonly shownBy?: { readonly withCurrentSheet: Readonly<Record<string, string>> };
}

/** A kind of list of the service. */
export interface Resource {
  /** Unique name in the catalog: the last segment of the path. */
  readonly name: string;
  /** The word in the event type, in the singular: `floorplan` in `floorplan.updated`. */
  readonly entity: string;
  /** Path below `{base_url}/api/v3` (spec, "Operations"). `{project_id}`: a list per project. */
  readonly path: string;
  /** Query parameters sent with every request of the list. */
  readonly query?: Readonly<Record<string, string>>;
  readonly nested?: readonly NestedResource[];
  /** Top-level fields that are removed from its entities, and from those nested in them. */
  readonly omit?: readonly string[];
}

/** All polled resources. */
export interface Catalog {
  readonly projects: Resource;
  /** Additional lists that the account has once. They are always polled. */
  readonly perAccount: readonly Resource[];
  /** Lists of each project: all have feeds, and those that are selected are polled. */
  readonly perProject: readonly Resource[];
  readonly selection: Selection;
}

/** The polled lists below projects. The others keep their feeds, to go on once selected again. */
export interface Selection {
  /** Names of the resources; absent: all. */
  readonly resources?: readonly string[];
  /** Ids of projects, in small letters; absent: all. */
  readonly projects?: readonly string[];
}

/** The operator's config of the lists. */
export interface CatalogOptions {
  /**
   * Request floorplans with their current sheet. Otherwise sheets come only with a Service-Version
   * older than 2021-03-30 (spec, changelog).
   */
  readonly withCurrentSheet?: boolean;
  /** Additional lists: per project with `{project_id}` in their path, else one for the account. */
  readonly additionalResources?: readonly Resource[];
  /** Query parameters of each request of a list, by the name of its resource. */
  readonly query?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Fields that are removed, by the name of a resource. */
  readonly omit?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Names of the built-in lists of projects that are polled. Default: all. */
  readonly resources?: readonly string[] | undefined;
  /** Ids of the projects whose lists are polled. Default: all. */
  readonly projects?: readonly string[] | undefined;
}

const BUILT_IN: readonly [projects: Resource, ...perProject: Resource[]] = BUILT_IN_LISTS;

/** Whether a list is one of the spec's "Operations", which also read each entity by its id. */
export function isBuiltIn({ path }: Resource): boolean {
  return BUILT_IN.some((resource) => resource.path === path);
}

/** The lists of the spec's "Operations" and the additional ones. */
export function makeCatalog(options: CatalogOptions = {}): Catalog {
  const { additionalResources = [], query = {}, omit = {}, resources, projects } = options;
  const [ofProjects, ...ofEachProject] = BUILT_IN;
  const configured = (resource: Resource): Resource => {
    const omitted = omit[resource.name];
    const shown = options.withCurrentSheet ? nestedQuery(resource) : {};
    const parameters = { ...resource.query, ...shown, ...query[resource.name] };
    return {
      ...resource,
      ...(Object.keys(parameters).length > 0 && { query: parameters }),
      ...(omitted && { omit: omitted }),
    };
  };
  return {
    projects: configured(ofProjects),
    perAccount: additionalResources.filter((resource) => !isPerProject(resource)).map(configured),
    perProject: [...ofEachProject, ...additionalResources.filter(isPerProject)].map(configured),
    selection: {
      ...(resources && {
        resources: [...resources, ...additionalResources.map(({ name }) => name)],
      }),
      ...(projects && { projects: projects.map((id) => id.toLowerCase()) }),
    },
  };
}

/** Parameters of a list by which its entities show nested ones. */
function nestedQuery({ nested = [] }: Resource): Readonly<Record<string, string>> {
  return Object.assign({}, ...nested.map(({ shownBy }) => shownBy?.withCurrentSheet)) as Record<
    string,
    string
  >;
}

/** All resources of a catalog. */
export function allResources({ projects, perAccount, perProject }: Catalog): readonly Resource[] {
  return [projects, ...perAccount, ...perProject];
}

/** The words in the event types of lists and nested lists, each parent first. */
export function entitiesOf(resources: readonly Resource[]): string[] {
  return resources.flatMap(({ entity, nested = [] }) => [
    entity,
    ...nested.map((each) => each.entity),
  ]);
}

function isPerProject({ path }: Resource): boolean {
  return path.includes('{project_id}');
}

/** Whether the lists of a project are polled. The case of letters does not matter in a UUID. */
export function isSelectedProject({ projects }: Selection, id: string): boolean {
  return projects === undefined || projects.includes(id.toLowerCase());
}
