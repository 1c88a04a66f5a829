import { DynamoDbStore } from '../../../functions/adapters/dynamodb/state-store.ts';
import { SnsTopic } from '../../../functions/adapters/sns/event-topic.ts';
import { CONNECTIONS } from '../../../functions/poll/aws-clients.ts';
import { VirtualTime } from '../../simulation/virtual-time.ts';
import { ChangingService } from './changing-service.ts';
import { DEFAULTS } from '../fixture/defaults.ts';
import { idleFeeds, projectId } from '../fixture/idle-feeds.ts';
import { pollOnce } from '../fixture/poller.ts';
import { SimulatedTable, TABLE_NAME } from '../fixture/table.ts';
import { SimulatedTopic, TOPIC_ARN, NO_LARGE_EVENTS } from '../fixture/topic.ts';
import { LATENCY_MS } from '../page-chain.ts';
import { type Metric } from '../../../functions/core/ports/telemetry.ts';

const TICK_MS = 60_000;
/** Changes of each project on an active day. */
const CHANGES_PER_PROJECT = 20;

/** Ticks of a month of 30 days. */
export const TICKS_A_MONTH = 43_200;

/** What one tick uses on the average, counted in a simulation. */
export interface TickUsage {
  /** Time that the run waits for others; its own work is not in it. */
  readonly runMs: number;
  /** Lists that there are. */
  readonly feeds: number;
  readonly serviceRequests: number;
  readonly tableCalls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly publishRequests: number;
  readonly events: number;
  /** Bytes of the table, as they are billed. */
  readonly storedBytes: number;
  /** Custom metrics that get a value. */
  readonly metrics: number;
}

/** How many ticks are simulated, before and while they are counted. */
export interface Ticks {
  readonly before: number;
  readonly counted: number;
}

/**
 * Runs ticks of the poller in virtual time, with the adapters that ship, and counts what they use.
 *
 * @param active whether the projects change, or nothing does.
 */
export async function simulateTicks(
  projects: number,
  active: boolean,
  { before, counted }: Ticks,
): Promise<TickUsage> {
  const time = new VirtualTime(Date.parse('2026-03-02T08:00:00.000Z'));
  const after = (ms: number) => () => time.sleep(ms);
  const table = new SimulatedTable(after(LATENCY_MS.table));
  const topic = new SimulatedTopic(after(LATENCY_MS.topic));
  const service = new ChangingService(time, {
    latencyMs: LATENCY_MS.service,
    requestsPerMinute: DEFAULTS.requestsPerMinute,
  });
  const filling = new DynamoDbStore({ client: table.quickClient, tableName: TABLE_NAME });
  const feeds = idleFeeds(projects, time.now - 3_600_000);
  await filling.addFeeds(feeds);
  const metrics = new Set<Metric>();
  const ports = {
    api: service,
    store: new DynamoDbStore({
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
      info: () => undefined,
      warn: () => undefined,
      error: (message: string, cause: unknown) => {
        throw new Error(message, { cause });
      },
    },
  };
  let runMs = 0;
  let changes = 0;
  const tick = async (): Promise<void> => {
    const start = time.now;
    const due = (CHANGES_PER_PROJECT * projects * TICK_MS) / 86_400_000;
    for (changes += active ? due : 0; changes >= 1; changes -= 1) {
      service.change(projectId(Math.floor(service.random() * projects)));
    }
    const remainingMs = () => start + DEFAULTS.timeoutSeconds * 1000 - time.now;
    await pollOnce(ports, { remainingMs, random: service.random });
    runMs += time.now - start;
    await time.sleep(start + TICK_MS - time.now);
  };
  const done = (async () => {
    for (let i = 0; i < before; i += 1) await tick();
    table.resetCounts();
    topic.resetCounts();
    service.requests = runMs = 0;
    metrics.clear();
    for (let i = 0; i < counted; i += 1) await tick();
  })();
  await time.pass();
  await done;
  return {
    runMs: runMs / counted,
    feeds: feeds.length,
    serviceRequests: service.requests / counted,
    tableCalls: table.totalCalls / counted,
    readUnits: table.readUnits / counted,
    writeUnits: table.writeUnits / counted,
    publishRequests: topic.billedRequests / counted,
    events: topic.messages / counted,
    storedBytes: table.storedBytes,
    metrics: metrics.size,
  };
}

function clockOf(time: VirtualTime) {
  return {
    now: () => time.now,
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
