import { cpuOf, ratioOfSums, type Bench, type Scale } from './bench.ts';
import { CHECKLISTS, feedsAfter } from './fixture/checklists.ts';
import {
  checklistRecords,
  EncodingStore,
  EncodingTopic,
  type RecordOf,
} from './fixture/encoding.ts';
import { entitiesOf } from './fixture/pages.ts';
import { pollOnce } from './fixture/poller.ts';
import { makeApi, startListServer } from './fixture/service.ts';

const PER_PAGE = 1000;
const GENERATION = 1;
/** V8 compiles differently in each. */
const PROCESSES = 3;
/** Rounds of both sides that count. */
const ROUNDS = 6;
/** Rounds before them: some code is compiled late. */
const WARM_UP = 12;

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

async function measureCpu(known: number, scale: Scale): Promise<number> {
  const [times, pages] = scale === 'full' ? [ROUNDS, 50] : [1, 1];
  const entities = entitiesOf(pages, PER_PAGE);
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

const SIDES =
  '50 full pages of 1,000 entities (checklists of 425 bytes, with the fields that the service shows) from a ' +
  'local HTTP server without latencies, in another process; store and topic in memory, which encode as ' +
  'table and topic do: CPU of a whole run, garbage collection included, over CPU of only fetching, parsing ' +
  'and validating these pages with the client that ships. Both in one process: ' +
  `${ROUNDS} times each, alternating, after ${WARM_UP} that warm up; sum over sum. Median of ${PROCESSES} processes.`;

export const cpuChanged: Bench = {
  name: 'cpu-per-changed-entity',
  processes: PROCESSES,
  rows: [
    {
      key: 'cpuPerChangedEntity',
      definition: `All entities changed; ${SIDES}`,
      goal: 6,
    },
  ],
  measure: async (scale) => ({ cpuPerChangedEntity: await measureCpu(GENERATION - 1, scale) }),
};

export const cpuUnchanged: Bench = {
  name: 'cpu-per-unchanged-entity',
  processes: PROCESSES,
  rows: [
    {
      key: 'cpuPerUnchangedEntity',
      definition: `All entities are unchanged; ${SIDES}`,
      goal: 1.5,
    },
  ],
  measure: async (scale) => ({ cpuPerUnchangedEntity: await measureCpu(GENERATION, scale) }),
};
