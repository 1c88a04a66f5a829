import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import { hasJob } from '../../functions/core/model/job.ts';
import { MemoryStore } from '../support/memory-store.ts';
import type { Chronicle } from './chronicle.ts';
import { hasLosses, type History } from './history/history.ts';
import type { Destruction, Loss } from './history/operations.ts';
import type { Operator } from './operator.ts';
import { placeOf } from './places.ts';
import type { Backend } from './ports/ports-options.ts';
import type { BuildingSite } from './site.ts';
import type { List, Row } from './truth.ts';
import type { VirtualTime } from './virtual-time.ts';

const PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);

/** The parts of the world that losses concern. */
export interface LossesParts {
  readonly history: History;
  readonly site: BuildingSite;
  readonly time: VirtualTime;
  readonly chronicle: Chronicle;
  readonly backend: Backend;
  readonly operator: Operator;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Lets things go without a trace, and has them reconciled. */
export class Losses {
  readonly #world: LossesParts;
  /** Every third that is destroyed returns in the end. */
  readonly #returning: { readonly row: Row; readonly list: List }[] = [];

  constructor(world: LossesParts) {
    this.#world = world;
  }

  async happen({ what, which }: Loss): Promise<void> {
    const { site, time, chronicle, backend } = this.#world;
    if (what === 'reconcile' || what === 'reconcile by force') {
      await this.reconcile(what === 'reconcile by force');
      return;
    }
    const [verb, noun] = what.split(' ');
    if (noun === 'list') {
      const found = site.all[which % site.all.length];
      if (found === undefined) return;
      found.list.hides = verb === 'show' ? 'none' : verb === 'empty' ? 'all' : 'some';
      found.list.hasHidden ||= verb !== 'show';
      return;
    }
    const found = site.pick(noun === 'floorplan' ? 'floorplans' : 'checklists', which);
    if (found === undefined) return;
    const { feedId, key } = placeOf(`${found.list.path}/${found.row.id}`);
    // What a baseline has lost it learns in silence when a later page shows it.
    const isLive = chronicle.feed(feedId)?.phase === 'live';
    if (verb === 'destroy') {
      // One that is back goes no more.
      if (found.row.destroyedAt !== undefined) return;
      found.row.destroyedAt = time.now;
      if (which % 3 === 2 && chronicle.state(feedId, key)) this.#returning.push(found);
    } else if (isLive && backend.store instanceof MemoryStore && backend.store.lose(feedId, key))
      chronicle.lost(feedId, key);
  }

  /** Destroys a project. */
  destroyProject({ which }: Destruction): void {
    const { site, time } = this.#world;
    const found = site.pick('projects', which);
    if (found !== undefined) found.row.destroyedAt = time.now;
  }

  /** The project that was destroyed is back as it was, if it is. */
  returnProject(): void {
    const gone = this.#world.site.projects.rows.find(({ isGone }) => isGone);
    if (gone === undefined) return;
    gone.returnedAt = this.#world.time.now;
    this.#world.site.projects.hasHidden = true;
  }

  /** Shows everything again, and has all lists reconciled whole, once the service is calm. */
  async end(tickUntilDone: () => Promise<void>): Promise<void> {
    const { site, chronicle, backend, history } = this.#world;
    if (!hasLosses(history)) return;
    for (const { list } of site.all) list.hides = 'none';
    await this.#finish(tickUntilDone);
    await this.#return();
    // The lists of a project that is back are parked until the list of projects was compared.
    if (site.projects.hasHidden) {
      await this.reconcile(true);
      await this.#finish(tickUntilDone);
    }
    await this.reconcile(true);
    if (await this.#finish(tickUntilDone)) {
      const feeds = await backend.store.loadFeeds(PARTITIONS);
      chronicle.lastJobs = new Map(feeds.flatMap(({ id, job }) => (job ? [[id, job]] : [])));
    }
  }

  /** Orders a reconciliation of all lists, unless one is under way. */
  async reconcile(isForced: boolean): Promise<void> {
    if (await this.#isUnderWay()) return;
    await this.#world.operator.reconcile(isForced, this.#world.time.now);
  }

  /** What returns is shown as it was, where polling has passed. */
  async #return(): Promise<void> {
    const { time } = this.#world;
    if (this.#returning.length === 0) return;
    // By then, no copy shows it as it was before it went, or lacks it.
    await this.#world.wait(2 * this.#world.site.lookbackMs);
    for (const { row, list } of this.#returning) {
      // It was told as deleted, and is: nothing more is told.
      if (row.isDeleted) continue;
      row.returnedAt = time.now;
      list.hasHidden = true;
    }
    await this.#world.wait(2 * this.#world.site.lookbackMs);
  }

  async #isUnderWay(): Promise<boolean> {
    const feeds = await this.#world.backend.store.loadFeeds(PARTITIONS);
    return feeds.some((feed) => hasJob(feed) && feed.job.name === 'reconcile');
  }

  /** @returns false if it does not end. */
  async #finish(tickUntilDone: () => Promise<void>): Promise<boolean> {
    for (let n = 0; n < 60 && (await this.#isUnderWay()); n += 1) {
      await tickUntilDone();
      await this.#world.wait(60_000);
    }
    return !(await this.#isUnderWay());
  }
}
