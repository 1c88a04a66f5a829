import { resourceKeyOf, resourceOf, type Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { PageRequest } from '../ports/service-api.ts';

/**
 * A request for a list that has as little as possible in common with a path that the service answered with 429: an answer shows
 * that the limit is not one of all requests. Chosen at random, so that one that happens to be limited, too, misleads once.
 *
 * @param path with the leading slash.
 * @param random uniform in [0, 1), as `Math.random`.
 * @returns undefined when there is no other list.
 */
export function sampleFor(
  path: string,
  feeds: readonly Feed[],
  catalog: Catalog,
  random: () => number,
): PageRequest | undefined {
  const id = path.slice(1);
  let highest = 0;
  let candidates: Feed[] = [];
  for (const feed of feeds) {
    const rank = feed.id === id ? 0 : 1 + differences(feed, id);
    if (rank > highest) [highest, candidates] = [rank, []];
    if (rank === highest && rank > 0) candidates.push(feed);
  }
  const feed = candidates[Math.floor(random() * candidates.length)];
  if (feed === undefined) return undefined;
  const query = resourceOf(catalog, feed)?.query;
  return { path: `/${feed.id}`, perPage: 1, ...(query && { query }) };
}

/** How much a list differs from a limited one: in its resource, then in that it was read last, then in its project. */
function differences(feed: Feed, limitedId: string): number {
  const isOther = (part: (id: string) => string | undefined): number =>
    part(feed.id) === part(limitedId) ? 0 : 1;
  const isHealthy = feed.failures === 0 && feed.parked === undefined;
  return 4 * isOther(resourceKeyOf) + (isHealthy ? 2 : 0) + isOther(projectOf);
}

function projectOf(id: string): string | undefined {
  return id.split('/', 2)[1];
}
