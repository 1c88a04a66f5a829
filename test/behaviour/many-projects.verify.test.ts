import { describe, expect, it } from 'vitest';
import { partitionsOf, type Feed } from '../../functions/core/model/feed.ts';
import type { PageRequest } from '../../functions/core/ports/service-api.ts';
import { replaceCall } from '../support/intercept.ts';
import {
  checklistsOf,
  deletedAt,
  entityAt,
  floorplansOf,
  PROJECTS,
  Site,
} from '../support/site.ts';

const PROJECT_COUNT = 100_000;
const SHARD_COUNT = 8;
/** Requests of a run: a shard of 25,000 lists polls a part of them. */
const REQUESTS = 1_000;
const IDS = Array.from({ length: PROJECT_COUNT }, (_, n) => `p${n}`);

const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => ({
  ...{ shard, runId: `run-${shard}`, partitions: partitionsOf(shard, SHARD_COUNT) },
  paging: { perPage: 1000, lookbackMs: 0 },
}));

function siteOfEmptyProjects(): Site {
  const site = new Site();
  site.api.put(PROJECTS, ...IDS.map((id, n) => entityAt(id, n / 100)));
  for (const id of IDS) for (const path of [floorplansOf(id), checklistsOf(id)]) site.api.put(path);
  return site;
}

/** Runs all shards side by side; `onRequest` sees each request. */
async function pollAll(site: Site, ports = {}, onRequest?: (request: PageRequest) => void) {
  const runs = shards.map((shard) => {
    let requests = REQUESTS;
    const fetchPage = (request: PageRequest) => {
      requests -= 1;
      onRequest?.(request);
      return site.api.fetchPage(request);
    };
    const api = { fetchPage, allowance: () => ({ requests, perMinute: REQUESTS }) };
    return site.poll(shard, { ...ports, api });
  });
  return Promise.all(runs);
}

describe('eight shards with 100,000 projects', () => {
  const site = siteOfEmptyProjects();

  it('have all lists after their first runs, written in batches before they are polled', async () => {
    const batches: number[] = [];
    const added = new Set([PROJECTS]);
    const early: string[] = [];
    const store = replaceCall(site.store, 'addFeeds', async ({ parameters, proceed }) => {
      const existing = await proceed();
      const feeds = parameters[0] as readonly Feed[];
      batches.push(feeds.length);
      for (const { id } of feeds) added.add(`/${id}`);
      return existing;
    });
    await pollAll(site, { store }, ({ path }) => {
      if (!added.has(path)) early.push(path);
    });
    expect(early).toEqual([]);
    expect(added.size).toBe(1 + 2 * PROJECT_COUNT);
    expect(Math.min(...batches.slice(1, -2))).toBeGreaterThan(190);
  });

  it('park the lists of others in the middle of their runs, and none fails', async () => {
    const gone = IDS.filter((_, n) => n % 125 === 0);
    for (const id of gone) site.floorplan(id, 'f', 1_000);
    site.api.put(PROJECTS, ...gone.map((id) => entityAt(id, 1_001, deletedAt(1_001))));
    let conflictCount = 0;
    const store = replaceCall(site.store, 'commitFeed', async ({ proceed }) => {
      try {
        return await proceed();
      } catch (error) {
        conflictCount += 1;
        throw error;
      }
    });
    const summaries = await pollAll(site, { store });
    expect(conflictCount).toBeGreaterThan(0);
    expect(summaries.filter(({ leaseHeld, waiting }) => leaseHeld || waiting > 0)).toEqual([]);
    const feeds = await site.store.loadFeeds(partitionsOf(0, 1));
    expect(feeds.filter(({ parked }) => parked)).toHaveLength(2 * gone.length);
  });
});
