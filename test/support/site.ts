import type { JsonObject } from '../../functions/core/model/entity.ts';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import { FEED_PARTITIONS, type Feed } from '../../functions/core/model/feed.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import { run, type RunOptions } from '../../functions/core/run/run.ts';
import type { RunSummary } from '../../functions/core/run/run-summary.ts';
import { at, ListService, type PagePosition, type ListServiceOptions } from './list-service.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryQuarantine } from './memory-quarantine.ts';
import { MemoryStore } from './memory-store.ts';
import { MemoryTopic } from './memory-topic.ts';
import { RecordingTelemetry } from './recording-telemetry.ts';
import { type Ports } from '../../functions/core/ports/ports.ts';

const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);

/** Paths of the lists that tests use. */
export const PROJECTS = '/projects';
export const floorplansOf = (project: string): string => `/projects/${project}/floorplans`;
export const checklistsOf = (project: string): string => `/projects/${project}/template_checklists`;

/** What a {@link Site} can be told. */
export interface SiteOptions extends ListServiceOptions {
  /** How late the service may show a change, in milliseconds. Default 0. */
  readonly lookbackMs?: number;
}

/** A building site in memory: a service with lists, and a notifier that watches it. */
export class Site {
  readonly api: ListService;
  readonly store = new MemoryStore();
  readonly topic = new MemoryTopic();
  readonly quarantine = new MemoryQuarantine();
  readonly telemetry = new RecordingTelemetry();
  readonly clock = new ManualClock();
  readonly options: RunOptions = {
    runId: 'run',
    shard: '0',
    partitions: ALL_PARTITIONS,
    catalog: makeCatalog(),
    source: 'https://service.example/api/v3',
    paging: { perPage: 2, lookbackMs: 0 },
    baseline: 'silent',
    concurrency: 4,
    pagesPerTurn: 20,
    pageBytes: 1e6,
    leaseMs: 60_000,
    reserveMs: 10_000,
    everyMs: 60_000,
    maxWaitMs: 1_800_000,
    remainingMs: () => 55_000,
    random: () => 0.5,
  };
  #taken = 0;

  constructor({ lookbackMs = 0, ...service }: SiteOptions = {}) {
    this.api = new ListService(service);
    this.options = { ...this.options, paging: { perPage: 2, lookbackMs } };
  }

  get ports(): Ports {
    const { api, store, topic, quarantine, telemetry, clock } = this;
    return { api, store, topic, quarantine, telemetry, clock };
  }

  /** A project with empty lists; `second` is when it was touched last. */
  project(id: string, second: number, fields: JsonObject = {}): void {
    this.api.put(PROJECTS, entity(id, second, { account_id: 7, ...fields }));
    for (const list of [floorplansOf(id), checklistsOf(id)]) this.api.put(list);
  }

  floorplan(project: string, id: string, second: number, fields: JsonObject = {}): void {
    this.api.put(floorplansOf(project), entity(id, second, fields));
  }

  checklist(project: string, id: string, second: number, items: readonly JsonObject[]): void {
    this.api.put(checklistsOf(project), entity(id, second, { template_check_items: items }));
  }

  /** One run. */
  poll(options: Partial<RunOptions> = {}, ports: Partial<Ports> = {}): Promise<RunSummary> {
    return run({ ...this.ports, ...ports }, { ...this.options, ...options });
  }

  /** One run, and what it published. */
  async events(options: Partial<RunOptions> = {}): Promise<string[]> {
    await this.poll(options);
    return this.takeEvents().map(({ type, subject }) => `${type} ${subject}`);
  }

  /** What was published since the last call. */
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
export function entity(id: string, second: number, fields: JsonObject = {}): JsonObject {
  return { id, name: id, updated_at: at(second), deleted_at: null, created_at: at(0), ...fields };
}

/** The fields of an entity that was deleted then. */
export const deletedAt = (second: number): JsonObject => ({ deleted_at: at(second) });

/** A site with one project whose baseline is done. */
export async function liveSite(options: SiteOptions = {}): Promise<Site> {
  const site = new Site(options);
  site.project('p', 1);
  site.floorplan('p', 'f', 2);
  site.floorplan('p', 'gone', 2, deletedAt(2));
  await site.poll();
  return site;
}

/** A site whose next run has all kinds of changes to publish, over several pages and feeds. */
export async function busySite(): Promise<Site> {
  const site = new Site();
  site.project('p', 1);
  for (let n = 2; n < 6; n += 1) site.floorplan('p', `f${n}`, n, n === 5 ? deletedAt(5) : {});
  site.checklist('p', 'c', 3, [entity('i', 3), entity('j', 3)]);
  await site.poll();
  site.project('p', 10, { name: 'Tower' });
  site.project('q', 11);
  site.floorplan('q', 'g', 11);
  site.floorplan('p', 'f2', 12, { name: 'Level 2' });
  site.floorplan('p', 'f3', 13, deletedAt(13));
  site.floorplan('p', 'f5', 14);
  site.floorplan('p', 'f6', 15, { current_sheet: entity('s', 15) });
  site.checklist('p', 'c', 16, [entity('i', 16, { name: 'I' }), entity('k', 16)]);
  site.project('r', 17, deletedAt(17));
  return site;
}

/** A run whose time is up when the list is asked for a page after so many. */
export async function stopAfter(site: Site, path: string, pages: number, options = {}) {
  const answers = Array.from({ length: pages }, (): PagePosition => (page) => page);
  site.api.answerNext(path, ...answers, (_page, signal) => {
    const given = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
    site.clock.advance(45_000);
    return given;
  });
  return site.poll(options);
}
