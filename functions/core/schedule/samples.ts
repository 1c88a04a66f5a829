import { resourceKeyOf, resourceOf, type Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { PageRequest } from '../ports/service-api.ts';

/**
 * Lists whose answers show, after a 429, whether the service limits all requests. Two of them, since each may happen to be
 * limited alone, too: one that was read before, and one that is chosen at random.
 */
export class Samples {
  /** Of each resource the list that was read last. */
  readonly #read: Map<string, string>;

  /** @param read see {@link handover}. */
  constructor(read: readonly string[] = []) {
    this.#read = new Map(read.map((id) => [resourceKeyOf(id), id]));
  }

  /** Ids of lists that were read, for the next run. */
  get handover(): readonly string[] {
    return [...this.#read.values()];
  }

  /** Notes that a page of a list was read. */
  read(path: string): void {
    const id = path.slice(1);
    this.#read.set(resourceKeyOf(id), id);
  }

  /**
   * Requests that have as little as possible in common with a path that the service answered with 429.
   *
   * @param path with the leading slash.
   * @param feeds those that are polled.
   * @param random uniform in [0, 1), as `Math.random`.
   * @returns none when there is no other list.
   */
  for(
    path: string,
    feeds: readonly Feed[],
    catalog: Catalog,
    random: () => number,
  ): readonly PageRequest[] {
    const limitedId = path.slice(1);
    const others = feeds.filter(({ id }) => id !== limitedId);
    const read = others.filter(({ id }) => this.#read.get(resourceKeyOf(id)) === id);
    const first = pick(read, limitedId, random);
    const second = pick(
      others.filter((feed) => feed !== first),
      limitedId,
      random,
    );
    return [first, second].flatMap((feed) => {
      if (feed === undefined) return [];
      const query = resourceOf(catalog, feed)?.query;
      return [{ path: `/${feed.id}`, perPage: 1, ...(query && { query }) }];
    });
  }
}

/** One of the lists that differ most from a limited one. */
function pick(feeds: readonly Feed[], limitedId: string, random: () => number): Feed | undefined {
  let highest = 0;
  let candidates: Feed[] = [];
  for (const feed of feeds) {
    const rank = differences(feed, limitedId);
    if (rank > highest) [highest, candidates] = [rank, []];
    if (rank === highest) candidates.push(feed);
  }
  return candidates[Math.floor(random() * candidates.length)];
}

/** How much a list differs from a limited one: in its resource, then in that its last poll did not fail, then in its project. */
function differences(feed: Feed, limitedId: string): number {
  const isOther = (part: (id: string) => string | undefined): number =>
    part(feed.id) === part(limitedId) ? 0 : 1;
  const isHealthy = feed.failures === 0 && feed.parked === undefined;
  return 4 * isOther(resourceKeyOf) + (isHealthy ? 2 : 0) + isOther(projectOf);
}

function projectOf(id: string): string | undefined {
  return id.split('/', 2)[1];
}
