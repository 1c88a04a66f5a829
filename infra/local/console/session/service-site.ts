import { AccessTokenSource } from '../../../../functions/adapters/auth/access-token.ts';
import type { EntityObject } from '../../../../functions/core/contract/entities.ts';
import { EXEMPT_HEADER } from '../../service/inject-faults.ts';
import type { RunningService } from '../../service/server.ts';
import {
  OperationRefusedError,
  ServiceClient,
  type ListOptions,
  type PageOf,
} from '../../service/service-client.ts';
import {
  nameProblem,
  type Activity,
  type ActivityRequest,
  type ChangeRequest,
  type EntityAddress,
  type NamedEntity,
  type ProjectAnswer,
} from '../protocol.ts';

/** With it checklists show their items, and floorplans their sheets. */
const VERSION_WITH_NESTED = '2021-01-01';
const PAGE_SIZE = 1_000;
/** Pages of a list that are shown. */
const MAX_PAGES = 10;

/** The control endpoint refused a change. The message is its own. */
export class ChangeRefusedError extends Error {
  override readonly name = 'ChangeRefusedError';
}

/**
 * The simulated service as the console changes it: by the typed client where the spec has the operation,
 * else by the control endpoints. Its requests are exempt from faults, and count as nobody's.
 */
export class ServiceSite {
  readonly #controlUrl: string;
  readonly #client: ServiceClient;

  constructor(
    service: Pick<
      RunningService,
      'baseUrl' | 'authUrl' | 'controlUrl' | 'refreshToken' | 'behaviour'
    >,
  ) {
    const { baseUrl, authUrl, controlUrl, behaviour } = service;
    this.#controlUrl = controlUrl;
    const secret = { name: 'console', read: () => Promise.resolve(service.refreshToken) };
    this.#client = new ServiceClient({
      baseUrl,
      accessTokens: new AccessTokenSource({ authUrl, secret, fetch: exemptFetch }),
      serviceVersion: VERSION_WITH_NESTED,
      headers: behaviour.headers,
      fetch: exemptFetch,
    });
  }

  /** All projects, by name. */
  async readProjects(): Promise<readonly NamedEntity[]> {
    return sorted(await readAll((options) => this.#client.listProjects(options)), toNamed);
  }

  async readProject(projectId: string): Promise<ProjectAnswer> {
    const [floorplans, checklists] = await Promise.all([
      readAll((options) => this.#client.listFloorplans(projectId, options)),
      readAll((options) => this.#client.listTemplateChecklists(projectId, options)),
    ]);
    return {
      floorplans: sorted(floorplans, (plan) => ({
        ...toNamed(plan),
        rotation: Number(plan['rotation'] ?? 0),
      })),
      checklists: sorted(checklists, (list) => ({
        ...toNamed(list),
        items: ((list['template_check_items'] ?? []) as Fields[]).map(toNamed),
      })),
    };
  }

  /**
   * @returns the id of the entity that has changed.
   * @throws ChangeRefusedError if the service refuses it.
   */
  async change(request: ChangeRequest): Promise<string> {
    const problem = 'name' in request ? nameProblem(request.name) : undefined;
    if (problem !== undefined) throw new ChangeRefusedError(problem);
    try {
      return await this.#change(request);
    } catch (error) {
      const { message } = error as Error;
      const isRefusal = error instanceof OperationRefusedError;
      throw new ChangeRefusedError(isRefusal ? `The service refused it: ${message}.` : message);
    }
  }

  async #change(request: ChangeRequest): Promise<string> {
    if (request.action !== 'create') {
      await this.#changeExisting(request);
      return request.id;
    }
    const { name } = request;
    switch (request.entity) {
      case 'project':
        return String((await this.#client.createProject({ name })).id);
      case 'checklist':
        return String((await this.#client.createTemplateChecklist(request.projectId, { name })).id);
      case 'floorplan': {
        const path = `/projects/${encodeURIComponent(request.projectId)}/floorplans`;
        return String((await this.#control('POST', path, { name }))['id']);
      }
    }
  }

  async #changeExisting(
    request: Exclude<ChangeRequest, { readonly action: 'create' }>,
  ): Promise<void> {
    const { entity, id, projectId = '', action } = request;
    const name = action === 'rename' ? { name: request.name } : {};
    switch (`${action} ${entity}`) {
      case 'rename floorplan':
        return void (await this.#client.updateFloorplan(projectId, id, name));
      case 'rename checklist':
        return void (await this.#client.updateTemplateChecklist(projectId, id, name));
      case 'restore floorplan':
        return void (await this.#client.restoreFloorplan(projectId, id));
      case 'rotate floorplan':
        return void (await this.#client.rotateFloorplan(projectId, id));
      default:
    }
    if (action === 'rotate') throw new ChangeRefusedError(`A ${entity} cannot be rotated`);
    const path = pathOf(request);
    if (action === 'rename') await this.#control('PATCH', path, name);
    else if (action === 'delete') await this.#control('DELETE', path);
    else await this.#control('PUT', `${path}/restore`);
  }

  async setActivity({ isRunning, rate }: ActivityRequest): Promise<void> {
    await this.#control('POST', '/activity', { running: isRunning, rate });
  }

  async readActivity(): Promise<Activity> {
    const { activity } = await this.#control('GET', '/');
    const { running, rate } = activity as { running: boolean; rate: number };
    return { isRunning: running, rate };
  }

  async #control(method: string, path: string, body?: object): Promise<Fields> {
    const answer = await fetch(this.#controlUrl + (path === '/' ? '' : path), {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const content = (await answer.json()) as Fields;
    if (!answer.ok) throw new ChangeRefusedError(String(content['message']));
    return content;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function pathOf({ entity, id, projectId = '', checklistId = '' }: EntityAddress): string {
  const [project, list, own] = [projectId, checklistId, id].map(encodeURIComponent);
  if (entity === 'project') return `/projects/${own}`;
  if (entity === 'floorplan') return `/projects/${project}/floorplans/${own}`;
  if (entity === 'checklist') return `/projects/${project}/template_checklists/${own}`;
  return `/projects/${project}/template_checklists/${list}/template_check_items/${own}`;
}

const exemptFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set(EXEMPT_HEADER, '1');
  return fetch(input, { ...init, headers });
};

async function readAll(
  read: (options: ListOptions) => Promise<PageOf<EntityObject>>,
): Promise<readonly Fields[]> {
  const found = new Map<string, Fields>();
  let lastSyncedAt: string | undefined;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const page = await read({ perPage: PAGE_SIZE, lastSyncedAt });
    for (const entity of page.entities) found.set(String(entity.id), entity);
    if (!page.hasMore) break;
    ({ lastSyncedAt } = page);
  }
  return [...found.values()];
}

function toNamed({ id, name, deleted_at: deletedAt }: Fields): NamedEntity {
  const isDeleted = deletedAt !== null && deletedAt !== undefined;
  return { id: String(id), name: typeof name === 'string' ? name : String(id), isDeleted };
}

function sorted<T extends NamedEntity>(
  entities: readonly Fields[],
  toView: (entity: Fields) => T,
): T[] {
  return entities
    .map(toView)
    .sort((a, b) => Number(a.isDeleted) - Number(b.isDeleted) || a.name.localeCompare(b.name));
}
