import { changeFeeds } from '../../../functions/control/change-feeds.ts';
import type { FeedStore } from '../../../functions/control/ports.ts';
import type { ChangeRequest, Scope } from '../../../functions/control/protocol.ts';
import { retryItems } from '../../../functions/control/retry-items.ts';
import { isInScope } from '../../../functions/control/scope.ts';
import { FEED_PARTITIONS, feedPartition, type Feed } from '../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../functions/core/model/resource-catalog.ts';
import { MINUTE_MS, type VirtualTime } from '../../support/virtual-time.ts';
import type { History } from '../history/history.ts';
import type { Command } from '../history/mishaps.ts';
import type { Backend } from '../ports/ports-options.ts';
import type { Trace } from '../trace/trace.ts';
import type { BuildingSite } from './site.ts';

/** All partitions of feeds. */
export const PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);

/** The parts of the world that an operator needs. */
export interface OperatorParts {
  readonly history: History;
  readonly time: VirtualTime;
  readonly site: BuildingSite;
  readonly backend: Backend;
  readonly trace: Trace;
}

/** A time in which a list, or all, was paused; `to` is infinite while it still is. */
interface Pause {
  readonly id: string;
  readonly from: number;
  to: number;
}

/** Changes lists as the control function does. */
export class Operator {
  readonly #world: OperatorParts;
  #jobCount = 0;
  readonly #pauses: Pause[] = [];

  constructor(world: OperatorParts) {
    this.#world = world;
  }

  /** Whether a list is paused. */
  isPaused(list: string): boolean {
    return this.#wasPaused(list, Infinity, Number.MAX_VALUE);
  }

  /** Carries out a command of the history. */
  async send({ name, which, minutesBack, scope: kind }: Command): Promise<void> {
    const { trace, time } = this.#world;
    const scope = this.#scopeOf(kind, which);
    const back = new Date(time.now - minutesBack * MINUTE_MS).toISOString();
    if (name === 'retry' || name === 'quarantine') trace.retries += 1;
    if (name === 'quarantine') return this.#retryQuarantine();
    if (name === 'replay')
      return this.#write({ command: name, scope, since: back, id: this.#nextId() });
    if (name === 'rewind') {
      trace.rewoundTo.add(back);
      return this.#write({ command: name, scope, to: back });
    }
    const ids = isAll(scope) ? ['all'] : (await this.#feedsIn(scope)).map(({ id }) => id);
    if (name === 'resume') this.#endPauses(ids);
    await this.#write({ command: name, scope });
    const pause = { from: time.now, to: Infinity };
    if (name === 'pause') this.#pauses.push(...ids.map((id) => ({ id, ...pause })));
  }

  /** Has all lists reconciled. */
  async reconcile(isForced: boolean): Promise<void> {
    const force = isForced ? ({ force: true } as const) : {};
    await this.#write({ command: 'reconcile', scope: {}, id: this.#nextId(), ...force });
  }

  /** Has all lists polled again. */
  async resumeAll(): Promise<void> {
    for (const { id } of this.#pauses)
      await this.#write({ command: 'resume', scope: id === 'all' ? {} : { list: id } });
    this.#endPauses(this.#pauses.map(({ id }) => id));
  }

  /** Ids of lists that a run polled which were paused before it started. */
  polledWhilePaused(): string[] {
    // A view that is behind may not show a pause.
    if (this.#world.history.notifier.staleMs > 0) return [];
    return this.#world.trace.runs.flatMap(
      ({ startedAt, endedAt = Infinity, requested, partitions }) =>
        [...requested].filter((id) => {
          // Another shard reads the projects only to see whether the service works.
          const isOwn = id !== 'projects' || partitions.includes(feedPartition({}));
          return isOwn && this.#wasPaused(id, startedAt, endedAt);
        }),
    );
  }

  #wasPaused(list: string, startedAt: number, endedAt: number): boolean {
    return this.#pauses.some(
      ({ id, from, to }) => (id === list || id === 'all') && from < startedAt && endedAt < to,
    );
  }

  #endPauses(ids: readonly string[]): void {
    const { now } = this.#world.time;
    for (const pause of this.#pauses)
      if (ids.includes(pause.id)) pause.to = Math.min(pause.to, now);
  }

  async #feedsIn(scope: Scope): Promise<Feed[]> {
    const feeds = await this.#world.backend.store.loadFeeds(PARTITIONS);
    return feeds.filter((feed) => isInScope(feed, feed.id.split('/').at(-1), scope));
  }

  async #write(request: ChangeRequest): Promise<void> {
    const { store } = this.#world.backend;
    await changeFeeds(request, await this.#feedsIn(request.scope), {
      store: {
        ...this.#feedStore,
        loadAllPaused: () => store.loadAllPaused(),
        saveAllPaused: (isPaused) => store.saveAllPaused(isPaused),
      },
      now: () => this.#world.time.now,
    });
  }

  /** Has all that is in the quarantine tried again, as the control function does. */
  async #retryQuarantine(): Promise<void> {
    const { trace, time, backend } = this.#world;
    const { store, quarantine } = backend;
    const feeds = await store.loadFeeds(PARTITIONS);
    const before = new Map(feeds.map(({ id, cursor }) => [id, cursor]));
    const { retried } = await retryItems(await quarantine.list(), feeds, {
      ...{ catalog: makeCatalog({}), quarantine, now: () => time.now, isDry: false },
      store: {
        ...this.#feedStore,
        commitFeed: (feed) => {
          if (feed.cursor !== before.get(feed.id)) trace.rewoundTo.add(feed.cursor ?? '');
          return this.#feedStore.commitFeed(feed);
        },
      },
    });
    const subjects = new Set(retried.map(({ subject }) => subject));
    for (const item of trace.quarantined) if (subjects.has(item.subject)) trace.retried.add(item);
  }

  /** Writes feeds, and records that. */
  get #feedStore(): FeedStore {
    const { backend, trace, time } = this.#world;
    return {
      commitFeed: async (feed) => {
        const stored = await backend.store.commitFeed(feed);
        trace.stored(stored, time.now);
        return stored;
      },
      loadFeedsById: (some) => backend.store.loadFeedsById(some),
    };
  }

  #scopeOf(scope: Command['scope'], which: number): Scope {
    const { lists } = this.#world.site;
    const path = lists[which % lists.length]?.path ?? '';
    const projectId = path.split('/')[2];
    if (scope === 'list') return { list: path.slice(1) };
    if (scope === 'project') return projectId === undefined ? {} : { projectId };
    return scope === 'resource' ? { resource: 'floorplans' } : {};
  }

  #nextId(): string {
    this.#jobCount += 1;
    return String(this.#jobCount).padStart(6, '0');
  }
}

function isAll(scope: Scope): boolean {
  return Object.keys(scope).length === 0;
}
