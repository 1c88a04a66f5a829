import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { JsonObject } from '../../functions/core/model/entity.ts';
import { ServiceError } from '../../functions/core/model/errors.ts';
import { FEED_PARTITIONS, type Feed } from '../../functions/core/model/feed.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import type { RunSummary } from '../../functions/core/run/run-summary.ts';
import { run } from '../../functions/core/run/run.ts';
import { completeApi, type PartialPorts } from './complete-api.ts';
import {
  ListService,
  timeAt,
  untilAborted,
  type ListServiceOptions,
  type PageAnswer,
} from './list-service.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryQuarantine } from './memory-quarantine.ts';
import { MemoryStore } from './memory-store.ts';
import { MemoryTopic } from './memory-topic.ts';
import { RecordingTelemetry } from './recording-telemetry.ts';

/** An error after which a feed backs off. */
export const serviceFailure = new ServiceError('GET: 500', { status: 500, hint: 'Wait.' });

const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);

/** The options of a run that tests do not care about. */
export const RUN_OPTIONS: RunOptions = {
  runId: 'run',
  shard: 0,
  partitions: ALL_PARTITIONS,
  catalog: makeCatalog(),
  source: 'https://service.example/api/v3',
  paging: { perPage: 4, lookbackMs: 0 },
  baseline: 'silent',
  concurrency: 4,
  pagesPerTurn: 20,
  retentionMs: 400 * 86_400_000,
  maxMissingShare: 0.5,
  reserveMs: 10_000,
  everyMs: 60_000,
  maxWaitMs: 1_800_000,
  remainingMs: () => 55_000,
};

/** The feed that most tests look at: the floorplans of project `p`. */
export const FEED = 'projects/p/floorplans';

/** Paths of the lists that tests use. */
export const PROJECTS = '/projects';
export const floorplansOf = (project: string): string => `/projects/${project}/floorplans`;
export const checklistsOf = (project: string): string => `/projects/${project}/template_checklists`;

export interface SiteOptions extends ListServiceOptions {
  /** Default 0. */
  readonly lookbackMs?: number;
}

/** A service with lists in memory, and a notifier that polls it. */
export class Site {
  readonly api: ListService;
  readonly store = new MemoryStore();
  readonly topic = new MemoryTopic();
  readonly quarantine = new MemoryQuarantine();
  telemetry = new RecordingTelemetry();
  readonly clock = new ManualClock();
  readonly options: RunOptions;
  #taken = 0;

  constructor({ lookbackMs = 0, ...service }: SiteOptions = {}) {
    this.api = new ListService(service);
    this.options = { ...RUN_OPTIONS, paging: { perPage: 4, lookbackMs } };
  }

  get ports(): Ports {
    const { api, store, topic, quarantine, telemetry, clock } = this;
    return { api: completeApi(api), store, topic, quarantine, telemetry, clock };
  }

  /** A project with empty lists; `second` is its `updated_at`. */
  project(id: string, second: number, fields: JsonObject = {}): void {
    this.api.put(PROJECTS, entityAt(id, second, { account_id: 7, ...fields }));
    for (const list of [floorplansOf(id), checklistsOf(id)]) this.api.put(list);
  }

  floorplan(project: string, id: string, second: number, fields: JsonObject = {}): void {
    this.api.put(floorplansOf(project), entityAt(id, second, fields));
  }

  /** Floorplans `f<n>`, each changed at second `n`. */
  floorplans(project: string, from: number, to: number): void {
    for (let n = from; n < to; n += 1) this.floorplan(project, `f${n}`, n);
  }

  checklist(project: string, id: string, second: number, items: readonly JsonObject[]): void {
    this.api.put(checklistsOf(project), entityAt(id, second, { template_check_items: items }));
  }

  /** One run. After one that fails, the next run is a minute later: its lists are due again. */
  async poll(
    options: Partial<RunOptions> = {},
    { api = this.api, ...ports }: PartialPorts = {},
  ): Promise<RunSummary> {
    try {
      const all = { ...this.ports, ...ports, api: completeApi(api) };
      return await run(all, { ...this.options, ...options });
    } catch (error) {
      this.clock.advance(60_000);
      throw error;
    }
  }

  /** One run, and its events as type and id. */
  async events(options: Partial<RunOptions> = {}): Promise<string[]> {
    await this.poll(options);
    return this.takeEvents().map(({ type, partitionkey }) => `${type} ${partitionkey}`);
  }

  /** One run, and the paths that it requested. */
  async paths(options: Partial<RunOptions> = {}): Promise<string[]> {
    this.api.takePaths();
    await this.poll(options);
    return this.api.takePaths();
  }

  /** One run whose events do not matter. */
  async catchUp(): Promise<void> {
    await this.poll();
    this.takeEvents();
  }

  /** Events since the last call. */
  takeEvents(): ChangeEvent[] {
    const events = this.topic.published.slice(this.#taken);
    this.#taken += events.length;
    return events;
  }

  async feed(id: string): Promise<Feed | undefined> {
    return (await this.store.loadFeeds(ALL_PARTITIONS)).find((feed) => feed.id === id);
  }
}

/** An entity as the service returns it. */
export function entityAt(id: string, second: number, fields: JsonObject = {}): JsonObject {
  return {
    id,
    name: id,
    updated_at: timeAt(second),
    deleted_at: null,
    created_at: timeAt(0),
    ...fields,
  };
}

/** The fields of an entity deleted at `second`. */
export const deletedAt = (second: number): JsonObject => ({ deleted_at: timeAt(second) });

/** A site with one project whose baseline is done. */
export async function liveSite(options: SiteOptions = {}): Promise<Site> {
  const site = new Site(options);
  site.project('p', 1);
  site.floorplan('p', 'f', 2);
  site.floorplan('p', 'gone', 2, deletedAt(2));
  await site.poll();
  return site;
}

/** A site whose next run finds changes of each kind, on several pages and feeds. */
export async function busySite(): Promise<Site> {
  const site = new Site();
  site.project('p', 1);
  for (let n = 2; n < 6; n += 1) site.floorplan('p', `f${n}`, n, n === 5 ? deletedAt(5) : {});
  site.checklist('p', 'c', 3, [entityAt('i', 3), entityAt('j', 3)]);
  await site.poll();
  site.project('p', 10, { name: 'Tower' });
  site.project('q', 11);
  site.floorplan('q', 'g', 11);
  site.floorplan('p', 'f2', 12, { name: 'Level 2' });
  site.floorplan('p', 'f3', 13, deletedAt(13));
  site.floorplan('p', 'f5', 14);
  site.floorplan('p', 'f6', 15, { current_sheet: entityAt('s', 15) });
  site.checklist('p', 'c', 16, [entityAt('i', 16, { name: 'I' }), entityAt('k', 16)]);
  site.project('r', 17, deletedAt(17));
  return site;
}

/** A run whose time ends after `pages` pages of the list. */
export async function stopAfter(site: Site, path: string, pages: number, options = {}) {
  const answers = Array.from({ length: pages }, (): PageAnswer => (page) => page);
  site.api.answerNext(path, ...answers, (_page, signal) => {
    const aborted = untilAborted(signal);
    site.clock.advance(45_000);
    return aborted;
  });
  return site.poll(options);
}
