import type { ServiceApiClient } from '../../../functions/adapters/service-api/service-client.ts';
import { idOf, type Entity } from '../../../functions/core/model/entity.ts';
import type { Resource } from '../../../functions/core/model/resource-catalog.ts';

/** The projects that the token may read. */
export interface ProjectsRead {
  /** Ids of those that are not deleted. */
  readonly live: readonly string[];
  readonly deletedCount: number;
  readonly requests: number;
  /** False when more share one timestamp than a page shows. */
  readonly isWhole: boolean;
}

const PER_PAGE = 1000;

/** Reads all projects, page by page. Errors are those of the client. */
export async function readProjects(
  api: Pick<ServiceApiClient, 'fetchPage'>,
  { path, query }: Pick<Resource, 'path' | 'query'>,
): Promise<ProjectsRead> {
  const byId = new Map<string, Entity>();
  let lastSyncedAt: string | undefined;
  for (let requests = 1; ; requests += 1) {
    const request = {
      path,
      ...(query && { query }),
      perPage: PER_PAGE,
      ...(lastSyncedAt !== undefined && { lastSyncedAt }),
    };
    const { entities, hasMore, ...page } = await api.fetchPage(request);
    for (const entity of entities) byId.set(idOf(entity), entity);
    const next = page.lastSyncedAt ?? entities.at(-1)?.updated_at;
    if (hasMore && next !== undefined && next !== lastSyncedAt) {
      lastSyncedAt = next;
      continue;
    }
    const all = [...byId.values()];
    const live = all.filter((entity) => !entity.deleted_at).map(idOf);
    return {
      live,
      deletedCount: all.length - live.length,
      requests,
      isWhole: !hasMore,
    };
  }
}
