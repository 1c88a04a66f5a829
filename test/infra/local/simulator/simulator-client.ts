import type { AccessTokens } from '../../../../functions/adapters/service-api/service-client.ts';
import type * as contract from '../../../../functions/core/contract/entities.ts';

/** A template for checklists, as the service shows it. */
interface TemplateChecklist extends contract.TemplateChecklist {
  /** Only with a Service-Version before 2021-04-15. */
  readonly template_check_items?: readonly contract.TemplateCheckItem[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Typed client of every operation in the spec's "Operations". */
export class SimulatorClient {
  readonly #baseUrl: string;
  readonly #accessTokens: AccessTokens;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(baseUrl: string, accessTokens: AccessTokens, serviceVersion?: string) {
    this.#baseUrl = baseUrl;
    this.#accessTokens = accessTokens;
    this.#headers = serviceVersion === undefined ? {} : { 'Service-Version': serviceVersion };
  }

  listProjects(): Promise<contract.Project[]> {
    return this.#send('GET', '/projects');
  }

  getProject(id: string): Promise<contract.Project> {
    return this.#send('GET', `/projects/${id}`);
  }

  createProject(fields: Fields): Promise<contract.Project> {
    return this.#send('POST', '/projects', fields);
  }

  listTemplateChecklists(projectId: string): Promise<TemplateChecklist[]> {
    return this.#send('GET', `/projects/${projectId}/template_checklists`);
  }

  getTemplateChecklist(projectId: string, id: string): Promise<TemplateChecklist> {
    return this.#send('GET', `/projects/${projectId}/template_checklists/${id}`);
  }

  createTemplateChecklist(projectId: string, fields: Fields): Promise<TemplateChecklist> {
    return this.#send('POST', `/projects/${projectId}/template_checklists`, fields);
  }

  updateTemplateChecklist(
    projectId: string,
    id: string,
    fields: Fields,
  ): Promise<TemplateChecklist> {
    return this.#send('PATCH', `/projects/${projectId}/template_checklists/${id}`, fields);
  }

  listFloorplans(projectId: string, query = ''): Promise<contract.Floorplan[]> {
    return this.#send('GET', `/projects/${projectId}/floorplans${query}`);
  }

  getFloorplan(projectId: string, id: string, query = ''): Promise<contract.Floorplan> {
    return this.#send('GET', `/projects/${projectId}/floorplans/${id}${query}`);
  }

  updateFloorplan(projectId: string, id: string, fields: Fields): Promise<contract.Floorplan> {
    return this.#send('PATCH', `/projects/${projectId}/floorplans/${id}`, fields);
  }

  restoreFloorplan(projectId: string, id: string): Promise<contract.Floorplan> {
    return this.#send('PUT', `/projects/${projectId}/floorplans/${id}/restore`);
  }

  rotateFloorplan(projectId: string, id: string, body?: Fields): Promise<contract.Floorplan> {
    return this.#send('PUT', `/projects/${projectId}/floorplans/${id}/rotate`, body);
  }

  async #send<T>(method: string, path: string, body?: Fields): Promise<T> {
    const token = await this.#accessTokens.get();
    const answer = await fetch(`${this.#baseUrl}/api/v3${path}`, {
      method,
      headers: { ...this.#headers, authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: status ${answer.status}`);
    return (await answer.json()) as T;
  }
}
