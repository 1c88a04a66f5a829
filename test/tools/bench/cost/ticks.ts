import { Random } from '../../../../infra/local/simulator/world/random.ts';
import { DEFAULTS, pollOnce } from '../../../support/as-deployed.ts';
import { idleFeeds, projectId } from '../../../support/idle-feeds.ts';
import { VirtualService } from '../../../support/virtual-service.ts';
import { MINUTE_MS, VirtualTime } from '../../../support/virtual-time.ts';
import { adaptersOf } from '../fixture/aws.ts';
import { LATENCY_MS } from '../fixture/calls.ts';
import { makeChecklist } from '../fixture/checklists.ts';
import { SimulatedTable } from '../fixture/table.ts';
import { SimulatedTopic } from '../fixture/topic.ts';

const TICKS_PER_DAY = 1_440;
/** Changes of each project on an active day. */
const CHANGES_PER_PROJECT = 20;

/** Usage of a mean tick. */
export interface TickUsage {
  /** Time that the run waits for others, without its own CPU time. */
  readonly runMs: number;
  readonly serviceRequests: number;
  /** Of table and topic. */
  readonly calls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** As they are billed. */
  readonly publishRequests: number;
  /** Billed bytes of the table. */
  readonly storedBytes: number;
}

/** What is simulated. */
export interface TickOptions {
  readonly projects: number;
  readonly isActive: boolean;
  /** Of an answer of the service. */
  readonly latencyMs: number;
  /** Default: that of the config. */
  readonly requestsPerMinute?: number;
  /** How many ticks are counted. Default: 30. */
  readonly counted?: number;
}

/**
 * Runs ticks in virtual time, with the adapters that ship, and counts their usage once all lists
 * have been polled.
 */
export async function simulateTicks(options: TickOptions): Promise<TickUsage> {
  const { projects, isActive, latencyMs, counted = 30 } = options;
  const { requestsPerMinute = DEFAULTS.requestsPerMinute } = options;
  const time = new VirtualTime(Date.parse('2026-03-02T08:00:00.000Z'));
  const service = new VirtualService(time, { latencyMs, requestsPerMinute });
  const table = new SimulatedTable();
  const topic = new SimulatedTopic(() => time.sleep(LATENCY_MS.topic));
  const adapters = await adaptersOf(table, topic, idleFeeds(projects, time.now - 1));
  table.latency = () => time.sleep(LATENCY_MS.table);
  const ports = { api: service.api, clock: time.clock, ...adapters };
  const random = new Random(1, 'month');
  const changesPerTick = isActive ? (CHANGES_PER_PROJECT * projects) / TICKS_PER_DAY : 0;
  let [runMs, changes, madeCount] = [0, 0, 0];
  const tick = async (): Promise<void> => {
    const start = time.now;
    for (changes += changesPerTick; changes >= 1; changes -= 1) {
      const path = `/projects/${projectId(random.below(projects))}/template_checklists`;
      const updated_at = new Date(start - 1).toISOString();
      service.put(path, { ...makeChecklist(madeCount++, 0), updated_at });
    }
    const remainingMs = () => start + DEFAULTS.timeoutSeconds * 1000 - time.now;
    await pollOnce(ports, { remainingMs });
    runMs += time.now - start;
    await time.sleep(start + MINUTE_MS - time.now);
  };
  const ticksBefore = Math.ceil((2 * projects + 1) / requestsPerMinute) + 5;
  const done = (async () => {
    for (let i = 0; i < ticksBefore; i += 1) await tick();
    for (const counter of [table, topic]) counter.resetCounts();
    service.requests.length = runMs = 0;
    for (let i = 0; i < counted; i += 1) await tick();
  })();
  await time.passUntil(done);
  return {
    runMs: runMs / counted,
    serviceRequests: service.requests.length / counted,
    calls: (table.totalCalls + topic.calls) / counted,
    readUnits: table.readUnits / counted,
    writeUnits: table.writeUnits / counted,
    publishRequests: topic.billedRequests / counted,
    storedBytes: table.storedBytes,
  };
}
