import type { JsonObject } from '../../functions/core/model/entity.ts';

/** Bytes that are read at a time. */
export const CHUNK = 5_000;

/** How a {@link ListsInChunks} answers. */
export interface Traits {
  /** How `last_synced_at` filters. */
  readonly filter: '>' | '>=';
  /** Whether it says how long its bodies are. */
  readonly saysLength: boolean;
  /** Whether the first answer to each request breaks off in its middle. */
  readonly breaksOff?: boolean;
}

/** A service whose bodies are made while they are read. It measures how much was read. */
export class ListsInChunks {
  /** Bytes read of pages that are not committed yet, by path of the list. */
  readonly #inHand = new Map<string, number[]>();
  /** Maximum of those bytes. */
  most = 0;
  /** Maximum bytes read of one page. */
  largestPage = 0;
  /** Requested page sizes, of answers with entities. */
  readonly perPage: number[] = [];
  /** Entities by path of the list, in the order of their time. */
  readonly lists = new Map<string, readonly JsonObject[]>();
  readonly #traits: Traits;
  readonly #askedBefore = new Set<string>();

  constructor(traits: Traits) {
    this.#traits = traits;
  }

  readonly fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { url, headers } = new Request(input, init);
    const path = new URL(url).pathname.slice('/api/v3'.length);
    const since = new URL(url).searchParams.get('last_synced_at') ?? '';
    const perPage = Number(headers.get('service-per-page'));
    const after = (this.lists.get(path) ?? []).filter(({ updated_at }) =>
      this.#traits.filter === '>' ? String(updated_at) > since : String(updated_at) >= since,
    );
    const shown = after.slice(0, perPage);
    if (shown.length > 0) this.perPage.push(perPage);
    const body = Buffer.from(JSON.stringify(shown));
    const isWhole = this.#traits.breaksOff !== true || this.#askedBefore.has(url);
    this.#askedBefore.add(url);
    const end = isWhole ? body.length : body.length / 2;
    const answer = new Response(this.#chunks(path, body, end, init?.signal ?? undefined), {
      headers: {
        'X-Has-More': String(after.length > shown.length),
        'X-Count': String(shown.length),
        ...(this.#traits.saysLength && { 'Content-Length': String(body.length) }),
        ...(shown.length > 0 && { 'X-Last-Synced-At': String(shown.at(-1)?.['updated_at']) }),
      },
    });
    return Promise.resolve(answer);
  };

  /** Records that the first uncommitted page of a list was committed. */
  committed(path: string): void {
    this.#inHand.get(path)?.shift();
  }

  #chunks(path: string, body: Buffer, end: number, signal?: AbortSignal) {
    const pages = this.#inHand.get(path) ?? [];
    this.#inHand.set(path, pages);
    let read = 0;
    return new ReadableStream(
      {
        start(controller) {
          signal?.addEventListener('abort', () => {
            controller.error(signal.reason);
          });
        },
        pull: (controller) => {
          if (read === 0) pages.push(0);
          const chunk = body.subarray(read, read + CHUNK);
          read += chunk.length;
          pages[pages.length - 1] = read;
          this.#measure(read);
          controller.enqueue(chunk);
          if (read === body.length) controller.close();
          else if (read > end) {
            pages.pop();
            controller.error(new Error('the connection was reset'));
          }
        },
        cancel: () => {
          pages.pop();
        },
      },
      { highWaterMark: 0 },
    );
  }

  #measure(page: number): void {
    this.largestPage = Math.max(this.largestPage, page);
    let held = 0;
    for (const bytes of [...this.#inHand.values()].flat()) held += bytes;
    this.most = Math.max(this.most, held);
  }
}
