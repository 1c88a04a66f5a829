import type * as contract from '../../core/contract/entities.ts';
import type { Entity, JsonObject } from '../../core/model/entity.ts';
import type { Page } from '../../core/ports/service-api.ts';
import { ServiceApiClient } from './client.ts';
import { readEntity, readPage } from './parse-page.ts';
import type { Method } from './response-errors.ts';

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

/** Selects a page of a list. */
export interface ListOptions {
  /** `last_synced_at`, sent unchanged; absent on the first request. */
  readonly lastSyncedAt?: string;
  /** `Service-Per-Page`, 1 to 1000; 50 by default of the service. */
  readonly perPage?: number;
}

/** Whether floorplans come with their current sheet (spec, changelog of 2021-03-30). */
export interface SheetOption {
  /** `with_current_sheet`; not sent if absent. */
  readonly withCurrentSheet?: boolean;
}

/**
 * Typed client of every operation in the spec's "Operations". Not part of the poller's bundle.
 *
 * Repeats a write only if the service surely has not acted on it: after a 429, or without a connection.
 *
 * Every operation rejects with ServiceError, ProtocolError, PageTooLargeError (above 64 MB) or the error of the access
 * tokens; lists also with FeedRefusedError. Once the signal is aborted it rejects with the signal's reason, or, if an attempt
 * has failed before by more than a rate limit or a 401, with that attempt's error.
 */
export class ServiceApiOperations extends ServiceApiClient {
  /** `GET /projects` */
  async listProjects(options: ListOptions = {}, signal?: AbortSignal): Promise<PageOf<Project>> {
    return this.#list('/projects', options, {}, signal);
  }

  /** `GET /projects/<project_id>` */
  async getProject(projectId: string, signal?: AbortSignal): Promise<Project> {
    return this.#one('GET', projectPath(projectId), {}, signal);
  }

  /** `POST /projects`. The spec does not show the body. */
  async createProject(project: JsonObject, signal?: AbortSignal): Promise<Project> {
    return this.#one('POST', '/projects', { body: project }, signal);
  }

  /** `GET /projects/<project_id>/template_checklists` */
  async listTemplateChecklists(
    projectId: string,
    options: ListOptions = {},
    signal?: AbortSignal,
  ): Promise<PageOf<TemplateCheckList>> {
    return this.#list(checklistPath(projectId), options, {}, signal);
  }

  /** `GET /projects/<project_id>/template_checklists/<template_checklist_id>` */
  async getTemplateChecklist(
    projectId: string,
    checklistId: string,
    signal?: AbortSignal,
  ): Promise<TemplateCheckList> {
    return this.#one('GET', checklistPath(projectId, checklistId), {}, signal);
  }

  /** `POST /projects/<project_id>/template_checklists`. The spec does not show the body. */
  async createTemplateChecklist(
    projectId: string,
    checklist: JsonObject,
    signal?: AbortSignal,
  ): Promise<TemplateCheckList> {
    return this.#one('POST', checklistPath(projectId), { body: checklist }, signal);
  }

  /**
   * `PATCH /projects/<project_id>/template_checklists/<template_checklist_id>`. The spec does not
   * show the body.
   */
  async updateTemplateChecklist(
    projectId: string,
    checklistId: string,
    changes: JsonObject,
    signal?: AbortSignal,
  ): Promise<TemplateCheckList> {
    return this.#one('PATCH', checklistPath(projectId, checklistId), { body: changes }, signal);
  }

  /** `GET /projects/<project_id>/floorplans` */
  async listFloorplans(
    projectId: string,
    options: ListOptions & SheetOption = {},
    signal?: AbortSignal,
  ): Promise<PageOf<Floorplan>> {
    return this.#list(floorplanPath(projectId), options, sheetQuery(options), signal);
  }

  /** `GET /projects/<project_id>/floorplans/<floorplan_id>` */
  async getFloorplan(
    projectId: string,
    floorplanId: string,
    options: SheetOption = {},
    signal?: AbortSignal,
  ): Promise<Floorplan> {
    const path = floorplanPath(projectId, floorplanId);
    return this.#one('GET', path, { query: sheetQuery(options) }, signal);
  }

  /** `PATCH /projects/<project_id>/floorplans/<floorplan_id>`. The spec does not show the body. */
  async updateFloorplan(
    projectId: string,
    floorplanId: string,
    changes: JsonObject,
    signal?: AbortSignal,
  ): Promise<Floorplan> {
    return this.#one('PATCH', floorplanPath(projectId, floorplanId), { body: changes }, signal);
  }

  /**
   * `PUT /projects/<project_id>/floorplans/<floorplan_id>/restore`. The spec does not show whether
   * there is a body.
   */
  async restoreFloorplan(
    projectId: string,
    floorplanId: string,
    body?: JsonObject,
    signal?: AbortSignal,
  ): Promise<Floorplan> {
    const path = `${floorplanPath(projectId, floorplanId)}/restore`;
    return this.#one('PUT', path, body ? { body } : {}, signal);
  }

  /**
   * `PUT /projects/<project_id>/floorplans/<floorplan_id>/rotate`. The spec does not show whether
   * there is a body.
   */
  async rotateFloorplan(
    projectId: string,
    floorplanId: string,
    body?: JsonObject,
    signal?: AbortSignal,
  ): Promise<Floorplan> {
    const path = `${floorplanPath(projectId, floorplanId)}/rotate`;
    return this.#one('PUT', path, body ? { body } : {}, signal);
  }

  #list(
    path: string,
    { lastSyncedAt, perPage }: ListOptions,
    query: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<Page> {
    return this.transport.send(
      {
        method: 'GET',
        path,
        query: { ...query, ...(lastSyncedAt !== undefined && { last_synced_at: lastSyncedAt }) },
        perPage,
        isList: true,
        read: readPage,
      },
      signal,
    );
  }

  #one(
    method: Method,
    path: string,
    sent: { readonly query?: Readonly<Record<string, string>>; readonly body?: JsonObject },
    signal?: AbortSignal,
  ): Promise<Entity> {
    return this.transport.send({ method, path, ...sent, isList: false, read: readEntity }, signal);
  }
}

function projectPath(projectId: string): string {
  return `/projects/${segment(projectId)}`;
}

function floorplanPath(projectId: string, floorplanId?: string): string {
  return below(`${projectPath(projectId)}/floorplans`, floorplanId);
}

function checklistPath(projectId: string, checklistId?: string): string {
  return below(`${projectPath(projectId)}/template_checklists`, checklistId);
}

function below(path: string, id: string | undefined): string {
  return id === undefined ? path : `${path}/${segment(id)}`;
}

/** An id as one segment of a path. A URL would drop an empty id, `.` and `..`. */
function segment(id: string): string {
  if (/^\.{0,2}$/.test(id)) {
    throw new RangeError(`The id "${id}" is invalid: it must be neither empty nor "." nor ".."`);
  }
  return encodeURIComponent(id);
}

function sheetQuery({ withCurrentSheet }: SheetOption): Readonly<Record<string, string>> {
  return withCurrentSheet === undefined ? {} : { with_current_sheet: String(withCurrentSheet) };
}
