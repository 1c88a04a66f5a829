import type { Page, PageRequest, ServiceApi } from '../../functions/core/ports/service-api.ts';
import type { PageHeaders } from '../../functions/core/ports/service-api.ts';
import type { ListService } from './list-service.ts';

const never = new AbortController().signal;

/** How the bodies of a {@link ListsWithHeads} are. */
export interface Bodies {
  /** Bytes of each. */
  readonly bytes?: number;
  /** Whether the headers tell how many. Default true. */
  readonly saysLength?: boolean;
  /** Whether the headers tell how many entities there are. Default true. */
  readonly saysCount?: boolean;
  /** What is waited for between a page's headers and its body; the number of the attempt, from 1. */
  readonly body?: (attempt: number) => unknown;
  /** Attempts to read a page. Default 1. */
  readonly tries?: number;
}

/** A client that tells the headers of a page before it reads the body, as the one that ships. */
export class ListsWithHeads implements ServiceApi {
  readonly lists: ListService;
  readonly #bodies: Bodies;
  #attempts = 0;

  constructor(lists: ListService, bodies: Bodies = {}) {
    this.lists = lists;
    this.#bodies = bodies;
  }

  async fetchPage(request: PageRequest, signal: AbortSignal = never): Promise<Page> {
    for (let left = this.#bodies.tries ?? 1; ; left -= 1) {
      try {
        return await this.#attempt(request, signal);
      } catch (error) {
        request.reservation?.resize(0);
        if (left === 1 || signal.aborted) throw error;
      }
    }
  }

  async #attempt(request: PageRequest, signal: AbortSignal): Promise<Page> {
    const { bytes = 2_000, saysLength = true, saysCount = true, body } = this.#bodies;
    const attempt = (this.#attempts += 1);
    const page = await this.lists.fetchPage(request, signal);
    const { entities, ...head } = headOf(page);
    const size = { ...(saysLength && { bytes }), ...(saysCount && { entities }) };
    await request.reservation?.acquire({ ...head, ...size }, signal);
    await body?.(attempt);
    signal.throwIfAborted();
    request.reservation?.resize(bytes);
    return page;
  }
}

function headOf({
  entities,
  invalid,
  hasMore,
  lastSyncedAt,
}: Page): PageHeaders & { entities: number } {
  return {
    entities: entities.length + invalid.length,
    hasMore,
    ...(lastSyncedAt !== undefined && { lastSyncedAt }),
  };
}
