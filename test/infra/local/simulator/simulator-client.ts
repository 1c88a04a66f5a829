import type { AccessTokens } from '../../../../functions/adapters/service-api/service-client.ts';
import type * as contract from '../../../../functions/core/contract/entities.ts';

/** A template for checklists, as the service shows it. */
export interface TemplateChecklist extends contract.TemplateChecklist {
  /** Only with a Service-Version before 2021-04-15. */
  readonly template_check_items?: readonly contract.TemplateCheckItem[];
}

/** One page of a list. */
export interface PageOf<T> {
  readonly entities: readonly T[];
  readonly hasMore: boolean;
  readonly lastSyncedAt: string | undefined;
}

/** Selects a page of a list. */
export interface ListOptions {
  readonly lastSyncedAt?: string | undefined;
  readonly perPage?: number;
}

/** Whether floorplans come with their current sheet. */
export interface SheetOption {
  readonly withCurrentSheet?: boolean;
}

export interface ServiceClientOptions {
  /** Address of the service, without `/api/v3`. */
  readonly baseUrl: string;
  readonly accessTokens: AccessTokens;
  readonly serviceVersion?: string | undefined;
  /** Names of the request headers with the version and with the size of a page. Default: the spec's. */
  readonly headers?: Partial<Record<'version' | 'perPage', string | undefined>> | undefined;
  readonly fetch?: typeof globalThis.fetch;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT';
type Fields = Readonly<Record<string, unknown>>;

interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Fields;
}

/** The service refused an operation. The message is its own. */
export class OperationRefusedError extends Error {
  override readonly name = 'OperationRefusedError';
}

/** Typed client of every operation in the spec's "Operations", for the simulated service. */
export class SimulatorClient {
  readonly #root: string;
  readonly #accessTokens: AccessTokens;
  readonly #fetch: typeof globalThis.fetch;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #perPageHeader: string;

  constructor({ baseUrl, accessTokens, serviceVersion, headers, fetch }: ServiceClientOptions) {
    const { version = 'Service-Version', perPage = 'Service-Per-Page' } = headers ?? {};
    this.#root = `${baseUrl}/api/v3`;
    this.#accessTokens = accessTokens;
    this.#fetch = fetch ?? globalThis.fetch;
    this.#headers = serviceVersion === undefined ? {} : { [version]: serviceVersion };
    this.#perPageHeader = perPage;
  }

  listProjects(options: ListOptions = {}): Promise<PageOf<contract.Project>> {
    return this.#list('/projects', options);
  }

  getProject(projectId: string): Promise<contract.Project> {
    return this.#one('GET', pathOf('projects', projectId));
  }

  createProject(project: Fields): Promise<contract.Project> {
    return this.#one('POST', '/projects', { body: project });
  }

  listTemplateChecklists(
    projectId: string,
    options: ListOptions = {},
  ): Promise<PageOf<TemplateChecklist>> {
    return this.#list(checklistPath(projectId), options);
  }

  getTemplateChecklist(projectId: string, checklistId: string): Promise<TemplateChecklist> {
    return this.#one('GET', checklistPath(projectId, checklistId));
  }

  createTemplateChecklist(projectId: string, checklist: Fields): Promise<TemplateChecklist> {
    return this.#one('POST', checklistPath(projectId), { body: checklist });
  }

  updateTemplateChecklist(
    projectId: string,
    checklistId: string,
    changes: Fields,
  ): Promise<TemplateChecklist> {
    return this.#one('PATCH', checklistPath(projectId, checklistId), { body: changes });
  }

  listFloorplans(
    projectId: string,
    options: ListOptions & SheetOption = {},
  ): Promise<PageOf<contract.Floorplan>> {
    return this.#list(floorplanPath(projectId), options, sheetQuery(options));
  }

  getFloorplan(
    projectId: string,
    floorplanId: string,
    options: SheetOption = {},
  ): Promise<contract.Floorplan> {
    const query = sheetQuery(options);
    return this.#one('GET', floorplanPath(projectId, floorplanId), { query });
  }

  updateFloorplan(
    projectId: string,
    floorplanId: string,
    changes: Fields,
  ): Promise<contract.Floorplan> {
    return this.#one('PATCH', floorplanPath(projectId, floorplanId), { body: changes });
  }

  restoreFloorplan(projectId: string, floorplanId: string): Promise<contract.Floorplan> {
    return this.#one('PUT', `${floorplanPath(projectId, floorplanId)}/restore`);
  }

  rotateFloorplan(
    projectId: string,
    floorplanId: string,
    body?: Fields,
  ): Promise<contract.Floorplan> {
    const path = `${floorplanPath(projectId, floorplanId)}/rotate`;
    return this.#one('PUT', path, body ? { body } : {});
  }

  async #list<T>(
    path: string,
    { lastSyncedAt, perPage }: ListOptions,
    query: Readonly<Record<string, string>> = {},
  ): Promise<PageOf<T>> {
    const answer = await this.#send('GET', path, {
      query: { ...query, ...(lastSyncedAt !== undefined && { last_synced_at: lastSyncedAt }) },
      headers: perPage === undefined ? {} : { [this.#perPageHeader]: String(perPage) },
    });
    return {
      entities: (await answer.json()) as T[],
      hasMore: answer.headers.get('x-has-more') === 'true',
      lastSyncedAt: answer.headers.get('x-last-synced-at') ?? undefined,
    };
  }

  async #one<T>(method: Method, path: string, sent: Sent = {}): Promise<T> {
    return (await (await this.#send(method, path, sent)).json()) as T;
  }

  /** @throws OperationRefusedError */
  async #send(method: Method, path: string, sent: Sent): Promise<Response> {
    const token = await this.#accessTokens.get();
    const first = await this.#sendWith(token, method, path, sent);
    const answer =
      first.status === 401
        ? await this.#sendWith(await this.#accessTokens.renew(token), method, path, sent)
        : first;
    if (answer.ok) return answer;
    const { message } = (await answer.json()) as { readonly message?: string };
    throw new OperationRefusedError(message ?? `status ${answer.status}`);
  }

  #sendWith(token: string, method: Method, path: string, sent: Sent): Promise<Response> {
    const { query, headers, body } = sent;
    const parameters = new URLSearchParams(query).toString();
    const url = `${this.#root}${path}${parameters === '' ? '' : `?${parameters}`}`;
    const own = { ...this.#headers, ...headers, authorization: `Bearer ${token}` };
    return this.#fetch(url, {
      method,
      headers: body ? { ...own, 'content-type': 'application/json' } : own,
      ...(body && { body: JSON.stringify(body) }),
    });
  }
}

function pathOf(...segments: readonly (string | undefined)[]): string {
  return segments
    .filter((segment) => segment !== undefined)
    .map((segment) => `/${encodeURIComponent(segment)}`)
    .join('');
}

function checklistPath(projectId: string, checklistId?: string): string {
  return pathOf('projects', projectId, 'template_checklists', checklistId);
}

function floorplanPath(projectId: string, floorplanId?: string): string {
  return pathOf('projects', projectId, 'floorplans', floorplanId);
}

function sheetQuery({ withCurrentSheet }: SheetOption): Readonly<Record<string, string>> {
  return withCurrentSheet === undefined ? {} : { with_current_sheet: String(withCurrentSheet) };
}
