import { AccessTokenSource } from '../../../functions/adapters/auth/access-token.ts';
import { systemClock } from '../../../functions/adapters/clock/system-clock.ts';
import { ServiceApiClient } from '../../../functions/adapters/service-api/service-client.ts';
import { idOf, type Entity } from '../../../functions/core/model/entity.ts';
import { omitFields } from '../../../functions/core/model/json/omit-fields.ts';
import type { Resource } from '../../../functions/core/model/resource-catalog.ts';
import type { StageConfig } from '../../config/config.ts';
import type { PageRead } from './list-rules.ts';

export const TOKEN_VARIABLE = 'SITECAST_REFRESH_TOKEN';

const PER_PAGE = 1000;

type PageRequest = Parameters<ServiceApiClient['fetchPage']>[0];

/** The service of a stage, asked as the poller would. */
export type Service = ReturnType<typeof openService>;

/** @param readToken rejects when no token was given. It is called once. */
export function openService(config: StageConfig, readToken: () => Promise<string>) {
  const { authUrl, baseUrl, requestsPerMinute, serviceVersion, headers } = config;
  let token: Promise<string> | undefined;
  let isTokenReplaced = false;
  const accessTokens = new AccessTokenSource({
    authUrl,
    secret: { name: TOKEN_VARIABLE, read: () => (token ??= readToken()) },
    tries: 2,
    onReplaced: () => {
      isTokenReplaced = true;
    },
  });
  const api = new ServiceApiClient({
    ...{ baseUrl, accessTokens, requestsPerMinute, clock: systemClock, headers },
    ...(serviceVersion !== undefined && { serviceVersion }),
  });
  const pages: PageRead[] = [];
  return {
    pages,
    /** @returns whether the service has answered with another refresh token. */
    logIn: async () => {
      await accessTokens.get();
      return isTokenReplaced;
    },
    readPage: async (resource: Resource, request: Omit<PageRequest, 'query'>) => {
      const { query } = resource;
      const answer = await api.fetchPage({ ...request, ...(query && { query }) });
      const page = omitFields(answer, resource);
      pages.push({ resource, perPage: request.perPage, page });
      return page;
    },
  };
}

/**
 * Reads all projects.
 *
 * @returns ids of those that are not deleted. `isWhole` is false when more share one timestamp than
 *   a page shows.
 */
export async function readProjects({ readPage }: Service, projects: Resource) {
  const byId = new Map<string, Entity>();
  let lastSyncedAt: string | undefined;
  for (let requestCount = 1; ; requestCount += 1) {
    const { entities, hasMore, ...page } = await readPage(projects, {
      path: projects.path,
      perPage: PER_PAGE,
      ...(lastSyncedAt !== undefined && { lastSyncedAt }),
    });
    for (const entity of entities) byId.set(idOf(entity), entity);
    const next = page.lastSyncedAt ?? entities.at(-1)?.updated_at;
    if (hasMore && next !== undefined && next !== lastSyncedAt) {
      lastSyncedAt = next;
      continue;
    }
    const live = [...byId.values()].filter((entity) => !entity.deleted_at).map(idOf);
    return { live, deletedCount: byId.size - live.length, requestCount, isWhole: !hasMore };
  }
}
