import { pollOnce } from '../../support/as-deployed.ts';
import type { Figures, Scale } from './figures.ts';
import { CHECKLISTS, feedsAfter } from './fixture/checklists.ts';
import {
  checklistRecords,
  EncodingStore,
  EncodingTopic,
  type RecordOf,
} from './fixture/encoding.ts';
import { makeApi, startListServer } from './fixture/service.ts';
import { cpuOf, ratioOfSums } from './measure.ts';

const PER_PAGE = 1000;
const GENERATION = 1;
/** Few: the states of all are in the heap here, and each garbage collection visits them. */
const PAGES = 10;
/** Rounds of both sides that count. */
const ROUNDS = 30;
/** Rounds before them: some code is compiled late. */
const WARM_UP = 60;

/**
 * CPU of a run over ten full pages of a local HTTP server in another process, with store and topic
 * in memory that encode as table and topic do: over that of only fetching, parsing and validating
 * these pages with the client that ships.
 */
export async function measureCpu(scale: Scale): Promise<Figures> {
  return {
    cpuPerChangedEntity: await measureRatio(GENERATION - 1, scale),
    cpuPerUnchangedEntity: await measureRatio(GENERATION, scale),
  };
}

/** Reads all pages of the list and drops them. */
async function readAll(baseUrl: string): Promise<void> {
  const api = makeApi(baseUrl);
  let lastSyncedAt: string | undefined;
  for (;;) {
    const since = lastSyncedAt !== undefined && { lastSyncedAt };
    const page = await api.fetchPage({ path: CHECKLISTS, perPage: PER_PAGE, ...since });
    if (!page.hasMore) return;
    lastSyncedAt = page.lastSyncedAt;
  }
}

/** CPU of a run over the list. */
async function cpuOfRun(baseUrl: string, records: RecordOf, events: number): Promise<number> {
  const store = new EncodingStore(records);
  await store.addFeeds(feedsAfter(GENERATION - 1));
  const topic = new EncodingTopic();
  const cpu = await cpuOf(() => pollOnce({ api: makeApi(baseUrl), store, topic }));
  if (topic.published !== events) throw new Error(`got ${topic.published} of ${events} events`);
  return cpu;
}

async function measureRatio(known: number, scale: Scale): Promise<number> {
  const [times, pages] = scale === 'full' ? [ROUNDS, PAGES] : [1, 1];
  // Each page but the first repeats an entity.
  const entities = pages * (PER_PAGE - 1) + 1;
  const records = checklistRecords(entities, known);
  const events = known === GENERATION ? 0 : entities;
  const server = await startListServer({ entities, generation: GENERATION, filter: '>=' });
  const run = () => cpuOfRun(server.baseUrl, records, events);
  const base = () => cpuOf(() => readAll(server.baseUrl));
  try {
    if (scale === 'full') await ratioOfSums(WARM_UP, run, base);
    return await ratioOfSums(times, run, base);
  } finally {
    server.close();
  }
}
