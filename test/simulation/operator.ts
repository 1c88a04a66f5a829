import { changeFeeds } from '../../functions/control/change-feeds.ts';
import type { FeedStore } from '../../functions/control/ports.ts';
import type { ChangeRequest, Scope } from '../../functions/control/protocol.ts';
import { retryItems } from '../../functions/control/retry-items.ts';
import { isInScope } from '../../functions/control/scope.ts';
import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import type { Chronicle } from './chronicle.ts';
import type { Order, Replay } from './history/operations.ts';
import type { Backend } from './ports/ports-options.ts';
import type { BuildingSite } from './site.ts';

const MINUTE_MS = 60_000;

const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);

/** For the chronicle, which counts runs from 0. */
const NO_RUN = -1;

/** Changes lists as the control function does. */
export class Operator {
  readonly #backend: Pick<Backend, 'store' | 'quarantine'>;
  readonly #site: BuildingSite;
  readonly #chronicle: Chronicle;
  #jobCount = 0;
  #pauseCount = 0;
  /** When lists were paused, by id. */
  readonly #pausedAt = new Map<string, number>();
  /** When all lists were paused. */
  #allPausedAt = Infinity;

  constructor(
    backend: Pick<Backend, 'store' | 'quarantine'>,
    site: BuildingSite,
    chronicle: Chronicle,
  ) {
    this.#backend = backend;
    this.#site = site;
    this.#chronicle = chronicle;
  }

  /** Whether some lists may be paused, or are to be. */
  get mayHavePaused(): boolean {
    return this.#pauseCount > 0;
  }

  async change(order: Order, now: number): Promise<void> {
    const { name: command, minutesBack } = order;
    const scope = this.#scopeOf(order.scope, order.which);
    const to = new Date(now - minutesBack * MINUTE_MS).toISOString();
    this.#note(command, scope, now);
    if (command === 'rewind') this.#chronicle.rewoundTo.add(to);
    await this.#write(command === 'rewind' ? { command, scope, to } : { command, scope }, now);
  }

  #note(command: Order['name'], scope: Scope, now: number): void {
    const ids = this.#idsIn(scope);
    const isAll = Object.keys(scope).length === 0;
    if (command === 'retry') this.#chronicle.retries += 1;
    if (command === 'pause') {
      this.#pauseCount += 1;
      if (isAll) this.#allPausedAt = Math.min(this.#allPausedAt, now);
      else for (const id of ids) this.#pausedAt.set(id, this.#pausedAt.get(id) ?? now);
    }
    if (command !== 'resume') return;
    if (isAll) this.#allPausedAt = Infinity;
    else for (const id of ids) this.#pausedAt.delete(id);
  }

  async #write(request: ChangeRequest, now: number): Promise<void> {
    const { store } = this.#backend;
    const { scope } = request;
    const feeds = (await store.loadFeeds(ALL_PARTITIONS)).filter((feed) =>
      isInScope(feed, feed.id.split('/').at(-1), scope),
    );
    await changeFeeds(request, feeds, {
      store: {
        ...this.#feedStore(now),
        loadAllPaused: () => store.loadAllPaused(),
        saveAllPaused: (isPaused) => store.saveAllPaused(isPaused),
      },
      now: () => now,
    });
  }

  /** Has all lists reconciled. */
  async reconcile(isForced: boolean, now: number): Promise<void> {
    const force = isForced ? ({ force: true } as const) : {};
    await this.#write({ command: 'reconcile', scope: {}, id: this.#nextId(), ...force }, now);
  }

  /** Has all that is in the quarantine tried again, as the control function does. */
  async retryQuarantine(now: number): Promise<void> {
    const { store, quarantine } = this.#backend;
    const feeds = await store.loadFeeds(ALL_PARTITIONS);
    const before = new Map(feeds.map(({ id, cursor }) => [id, cursor]));
    const feedStore = this.#feedStore(now);
    const { retried } = await retryItems(await quarantine.list(), feeds, {
      ...{ catalog: makeCatalog({}), quarantine, now: () => now, isDry: false },
      store: {
        ...feedStore,
        commitFeed: (feed) => {
          if (feed.cursor !== before.get(feed.id)) {
            this.#chronicle.rewoundTo.add(feed.cursor ?? '');
          }
          return feedStore.commitFeed(feed);
        },
      },
    });
    this.#chronicle.tryAgain(retried.map(({ subject }) => subject));
  }

  /** Writes feeds, and records that. */
  #feedStore(now: number): FeedStore {
    const { store } = this.#backend;
    return {
      commitFeed: async (feed) => {
        const stored = await store.commitFeed(feed);
        this.#chronicle.stored(stored, NO_RUN, now);
        return stored;
      },
      loadFeedsById: (some) => store.loadFeedsById(some),
    };
  }

  /** Has the events since a time published again. */
  async replay({ scope, which, minutesBack }: Replay, now: number): Promise<void> {
    const since = new Date(now - minutesBack * MINUTE_MS).toISOString();
    const id = this.#nextId();
    await this.#write({ command: 'replay', scope: this.#scopeOf(scope, which), since, id }, now);
  }

  /** Whether a run that started at a time must not poll a list. */
  isPaused(id: string, startedAt: number): boolean {
    return Math.min(this.#pausedAt.get(id) ?? Infinity, this.#allPausedAt) < startedAt;
  }

  /** Has all lists polled again. */
  async resumeAll(now: number): Promise<void> {
    if (this.#pauseCount === 0) return;
    await this.#write({ command: 'resume', scope: {} }, now);
    for (const list of this.#pausedAt.keys())
      await this.#write({ command: 'resume', scope: { list } }, now);
    this.#pausedAt.clear();
    this.#allPausedAt = Infinity;
    this.#pauseCount = 0;
  }

  /** The lists in a scope that are polled by now. */
  #idsIn(scope: Scope): string[] {
    const lists = [this.#site.projects, ...this.#site.all.map(({ list }) => list)];
    return lists.flatMap(({ path }) => {
      const feed = this.#chronicle.feed(path.slice(1));
      const resource = path.split('/').at(-1);
      return feed && isInScope(feed, resource, scope) ? [feed.id] : [];
    });
  }

  #scopeOf(scope: Order['scope'], which: number): Scope {
    const lists = [this.#site.projects, ...this.#site.all.map(({ list }) => list)];
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
