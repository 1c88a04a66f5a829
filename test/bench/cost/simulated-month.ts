import { makeDynamoDbStore } from '../../../functions/adapters/dynamodb/state-store.ts';
import { CONNECTIONS } from '../../../functions/adapters/shared/request-handler.ts';
import { SnsTopic } from '../../../functions/adapters/sns/event-topic.ts';
import { type Metric } from '../../../functions/core/ports/metrics.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { stopwatchBy } from '../../support/manual-clock.ts';
import { DEFAULTS } from '../fixture/defaults.ts';
import { idleFeeds, projectId } from '../fixture/idle-feeds.ts';
import { pollOnce } from '../fixture/poller.ts';
import { SimulatedTable, TABLE_NAME } from '../fixture/table.ts';
import { SimulatedTopic, TOPIC_ARN, NO_LARGE_EVENTS } from '../fixture/topic.ts';
import { LATENCY_MS } from '../page-chain.ts';
import { ChangingService } from './changing-service.ts';

const TICK_MS = 60_000;
const DAY_MS = 86_400_000;
/** Changes of each project on an active day. */
const CHANGES_PER_PROJECT = 20;

/** Ticks of a month of 30 days. */
export const TICKS_PER_MONTH = 43_200;

/** Usage of a mean tick. */
export interface TickUsage {
  /** Time that the run waits for others, without its own CPU time. */
  readonly runMs: number;
  /** Lists of the account. */
  readonly feeds: number;
  readonly serviceRequests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** As they are billed. */
  readonly publishRequests: number;
  readonly events: number;
  /** Billed bytes of the table. */
  readonly storedBytes: number;
  /** Metrics that get a value from the core; all have one set of dimensions. */
  readonly metrics: readonly Metric[];
}

/**
 * Runs ticks of the poller in virtual time, with the adapters that ship, and counts their usage.
 *
 * @param isActive whether the projects change.
 * @param ticks to run before counting, and to count.
 */
export async function simulateTicks(
  projects: number,
  isActive: boolean,
  ticks: { readonly before: number; readonly counted: number },
): Promise<TickUsage> {
  const time = new VirtualTime(Date.parse('2026-03-02T08:00:00.000Z'));
  const after = (ms: number) => () => time.sleep(ms);
  const table = new SimulatedTable(after(LATENCY_MS.table));
  const topic = new SimulatedTopic(after(LATENCY_MS.topic));
  const service = new ChangingService(time, {
    latencyMs: LATENCY_MS.service,
    requestsPerMinute: DEFAULTS.requestsPerMinute,
  });
  const feeds = idleFeeds(projects, time.now - 3_600_000);
  const filling = makeDynamoDbStore({ client: table.quickClient, tableName: TABLE_NAME });
  await filling.openTable();
  await filling.addFeeds(feeds);
  const metrics = new Set<Metric>();
  const ports = {
    api: service,
    store: makeDynamoDbStore({
      client: table.client,
      tableName: TABLE_NAME,
      concurrency: CONNECTIONS,
    }),
    topic: new SnsTopic({
      client: topic.client,
      topicArn: TOPIC_ARN,
      claimCheck: NO_LARGE_EVENTS,
      concurrency: CONNECTIONS,
    }),
    clock: clockOf(time),
    telemetry: {
      count: (metric: Metric, amount: number) => {
        if (amount > 0) metrics.add(metric);
      },
      observe: (metric: Metric) => {
        metrics.add(metric);
      },
      info: () => undefined,
      warn: () => undefined,
      error: (message: string, cause: unknown) => {
        throw new Error(message, { cause });
      },
    },
  };
  let [runMs, changes] = [0, 0];
  const changesPerTick = isActive ? (CHANGES_PER_PROJECT * projects * TICK_MS) / DAY_MS : 0;
  const tick = async (): Promise<void> => {
    const start = time.now;
    for (changes += changesPerTick; changes >= 1; changes -= 1) {
      service.change(projectId(Math.floor(service.random() * projects)));
    }
    const remainingMs = () => start + DEFAULTS.timeoutSeconds * 1000 - time.now;
    await pollOnce(ports, { remainingMs });
    runMs += time.now - start;
    await time.sleep(start + TICK_MS - time.now);
  };
  const done = (async () => {
    for (let i = 0; i < ticks.before; i += 1) await tick();
    table.resetCounts();
    topic.resetCounts();
    metrics.clear();
    service.requests = runMs = 0;
    for (let i = 0; i < ticks.counted; i += 1) await tick();
  })();
  await time.pass();
  await done;
  return {
    runMs: runMs / ticks.counted,
    feeds: feeds.length,
    serviceRequests: service.requests / ticks.counted,
    readUnits: table.readUnits / ticks.counted,
    writeUnits: table.writeUnits / ticks.counted,
    publishRequests: topic.billedRequests / ticks.counted,
    events: topic.messages / ticks.counted,
    storedBytes: table.storedBytes,
    metrics: [...metrics],
  };
}

function clockOf(time: VirtualTime) {
  return {
    now: () => time.now,
    stopwatch: stopwatchBy(() => time.now),
    sleep: (milliseconds: number, signal?: AbortSignal): Promise<void> => {
      if (signal?.aborted === true) return Promise.resolve();
      return new Promise((resolve) => {
        time.after(milliseconds, resolve);
        signal?.addEventListener('abort', () => {
          resolve();
        });
      });
    },
  };
}
