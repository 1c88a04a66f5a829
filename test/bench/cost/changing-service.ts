import { validateEntities } from '../../../functions/core/model/entity.ts';
import type { Page, PageRequest } from '../../../functions/core/ports/service-api.ts';
import { Random } from '../../../infra/local/simulator/world/random.ts';
import type { VirtualTime } from '../../simulation/virtual-time.ts';
import type { PartialApi } from '../../support/complete-api.ts';
import { makeChecklist } from '../fixture/checklists.ts';

/** What a {@link ChangingService} is told. */
export interface ChangingServiceOptions {
  readonly latencyMs: number;
  /** The client's budget: requests that may start in any minute. */
  readonly requestsPerMinute: number;
}

/**
 * A service in virtual time whose checklists change when told to, asked by a client that keeps to its
 * budget.
 */
export class ChangingService implements PartialApi {
  requests = 0;
  readonly random: () => number;
  readonly #time: VirtualTime;
  readonly #options: ChangingServiceOptions;
  readonly #lists = new Map<string, { readonly updated_at: string }[]>();
  /** When the latest requests started, as many as a minute may have. */
  readonly #started: number[] = [];
  #changes = 0;

  constructor(time: VirtualTime, options: ChangingServiceOptions) {
    this.#time = time;
    this.#options = options;
    const random = new Random(1, 'bench');
    this.random = () => random.bits() / 2 ** 32;
  }

  /** Changes a checklist of a project. */
  change(projectId: string): void {
    const path = `/projects/${projectId}/template_checklists`;
    const list = this.#lists.get(path) ?? [];
    const updated_at = new Date(this.#time.now - 1).toISOString();
    list.push({ ...makeChecklist(this.#changes++, 0), updated_at });
    this.#lists.set(path, list);
  }

  async fetchPage({ path, lastSyncedAt = '' }: PageRequest, signal?: AbortSignal): Promise<Page> {
    await this.#turn(signal);
    this.requests += 1;
    await this.#time.sleep(this.#options.latencyMs);
    const shown = (this.#lists.get(path) ?? []).filter((e) => e.updated_at > lastSyncedAt);
    const last = shown.at(-1)?.updated_at;
    return {
      ...validateEntities(shown),
      hasMore: false,
      ...(last !== undefined && { lastSyncedAt: last }),
      readAfter: new Date(this.#time.now - this.#options.latencyMs).toISOString(),
    };
  }

  /** What the budget still allows in so many milliseconds, as the client tells a planner. */
  allowance(withinMs: number): { readonly requests: number; readonly perMinute: number } {
    const { requestsPerMinute: perMinute } = this.#options;
    const until = this.#time.now + withinMs - 60_000;
    const held = this.#started.filter((start) => start > until).length;
    return { requests: Math.max(0, perMinute - held), perMinute };
  }

  /** Waits until the budget has room. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const { requestsPerMinute } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      const oldest = this.#started.at(-requestsPerMinute);
      if (oldest === undefined || oldest + 60_000 <= this.#time.now) break;
      await this.#time.sleep(Math.min(1_000, oldest + 60_000 - this.#time.now));
    }
    this.#started.push(this.#time.now);
    this.#started.splice(0, this.#started.length - requestsPerMinute);
  }
}
