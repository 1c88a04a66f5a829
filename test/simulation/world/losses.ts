import { hasJob } from '../../../functions/core/model/job.ts';
import { MINUTE_MS } from '../../support/virtual-time.ts';
import type { Loss } from '../history/mishaps.ts';
import { PARTITIONS } from './operator.ts';
import type { World } from './world.ts';

/** Runs in which a reconcile must end. */
const MAX_RUNS = 60;

/** Lets things go without a trace, and has them reconciled. */
export class Losses {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async happen({ what, which }: Loss): Promise<void> {
    const { site, time } = this.#world;
    const [verb, noun] = what.split(' ');
    if (what === 'reconcile') return this.#reconcile(false);
    if (verb === 'destroy') {
      const kind = `${noun}s` as 'floorplans' | 'checklists' | 'projects';
      const row = site.pick(kind, which);
      if (row?.isDeleted === false) row.destroyedAt = time.now;
      return;
    }
    const list = site.all[which % site.all.length]?.list;
    if (list === undefined) return;
    list.isThin = verb === 'thin';
    list.wasThin ||= list.isThin;
    if (list.isThin) await this.#reconcile(true);
  }

  /** Shows everything again, and has all lists reconciled whole, once the service is calm. */
  async end(): Promise<void> {
    const { site, trace, backend } = this.#world;
    for (const { list } of site.all) list.isThin = false;
    await this.#finish();
    await this.#reconcile(true);
    if (!(await this.#finish())) return;
    let feeds = await backend.store.loadFeeds(PARTITIONS);
    // The lists of a project that this reconcile found restored were skipped as parked.
    if (feeds.some(({ job, parked }) => job?.outcome === 'skipped' && !parked)) {
      await this.#reconcile(true);
      if (!(await this.#finish())) return;
      feeds = await backend.store.loadFeeds(PARTITIONS);
    }
    trace.lastJobs = new Map(feeds.flatMap(({ id, job }) => (job ? [[id, job]] : [])));
  }

  /** Orders a reconcile of all lists, unless one is under way. */
  async #reconcile(isForced: boolean): Promise<void> {
    if (!(await this.#isUnderWay())) await this.#world.operator.reconcile(isForced);
  }

  async #isUnderWay(): Promise<boolean> {
    const feeds = await this.#world.backend.store.loadFeeds(PARTITIONS);
    return feeds.some((feed) => hasJob(feed) && feed.job.name === 'reconcile');
  }

  /** @returns false if it does not end. */
  async #finish(): Promise<boolean> {
    for (let n = 0; n < MAX_RUNS && (await this.#isUnderWay()); n += 1) {
      await this.#world.tickUntilDone();
      await this.#world.wait(MINUTE_MS);
    }
    return !(await this.#isUnderWay());
  }
}
