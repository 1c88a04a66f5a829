import { resourceKeyOf, resourceOf, type Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { PageRequest } from '../ports/service-api.ts';

/**
 * Share of the samples that are any lists, once all were found to be limited: those that differ most may only be limited alone,
 * too, for as long.
 */
const ANY_SHARE = 0.5;

/**
 * Chooses lists whose answers show, after a 429, whether the service limits all requests: two, since one may be answered by
 * chance, under a limit that goes on refilling.
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

  /** Notes that all requests are limited, or that one of the lists that were read is, too: others must show which. */
  limited(): void {
    this.#read.clear();
  }

  /**
   * Requests for lists that have as little as possible in common with one that the service answered with 429, rather for those
   * that were read last, and else for any at random.
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
    const isAny = this.#read.size === 0 && random() < ANY_SHARE;
    const rankOf = (feed: Feed): number => {
      if (feed.id === limitedId) return 0;
      return isAny ? 1 : 1 + 2 * differences(feed, limitedId) + this.#isRead(feed);
    };
    const first = pick(feeds, rankOf, random);
    // A list that has more in common with the limited one may be limited with it.
    const isAlike = (feed: Feed): boolean =>
      isAny ||
      (first !== undefined && differences(feed, limitedId) === differences(first, limitedId));
    const others = feeds.filter((feed) => feed !== first && isAlike(feed));
    const second = pick(others, rankOf, random);
    return [first, second].flatMap((feed) => {
      if (feed === undefined) return [];
      const query = resourceOf(catalog, feed)?.query;
      return [{ path: `/${feed.id}`, perPage: 1, ...(query && { query }) }];
    });
  }

  #isRead({ id }: Feed): 0 | 1 {
    return this.#read.get(resourceKeyOf(id)) === id ? 1 : 0;
  }
}

/** One of the lists with the highest rank, if that is not 0. */
function pick(
  feeds: readonly Feed[],
  rankOf: (feed: Feed) => number,
  random: () => number,
): Feed | undefined {
  let highest = 0;
  let candidates: Feed[] = [];
  for (const feed of feeds) {
    const rank = rankOf(feed);
    if (rank > highest) [highest, candidates] = [rank, []];
    if (rank === highest && rank > 0) candidates.push(feed);
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
