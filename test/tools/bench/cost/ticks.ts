import { Random } from '../../../../infra/local/simulator/world/random.ts';
import { VirtualTime } from '../../../simulation/world/virtual-time.ts';
import { adaptersOf, fill } from '../fixture/aws.ts';
import { DEFAULTS, LATENCY_MS } from '../fixture/defaults.ts';
import { idleFeeds, projectId } from '../fixture/idle-feeds.ts';
import { pollOnce } from '../fixture/poller.ts';
import { SimulatedTable } from '../fixture/table.ts';
import { SimulatedTopic } from '../fixture/topic.ts';
import { VirtualService } from '../fixture/virtual-service.ts';

const TICK_MS = 60_000;
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
  const table = new SimulatedTable(() => time.sleep(LATENCY_MS.table));
  const topic = new SimulatedTopic(() => time.sleep(LATENCY_MS.topic));
  await fill(table, idleFeeds(projects, time.now - 1));
  const ports = { api: service.api, clock: service.clock, ...adaptersOf(table, topic) };
  const random = new Random(1, 'month');
  const changesPerTick = isActive ? (CHANGES_PER_PROJECT * projects) / TICKS_PER_DAY : 0;
  let [runMs, changes] = [0, 0];
  const tick = async (): Promise<void> => {
    const start = time.now;
    for (changes += changesPerTick; changes >= 1; changes -= 1) {
      const id = projectId(random.below(projects));
      service.change(`/projects/${id}/template_checklists`, start - 1);
    }
    const remainingMs = () => start + DEFAULTS.timeoutSeconds * 1000 - time.now;
    await pollOnce(ports, { remainingMs });
    runMs += time.now - start;
    await time.sleep(start + TICK_MS - time.now);
  };
  const ticksBefore = Math.ceil((2 * projects + 1) / requestsPerMinute) + 5;
  const done = (async () => {
    for (let i = 0; i < ticksBefore; i += 1) await tick();
    for (const counter of [table, topic, service]) counter.resetCounts();
    runMs = 0;
    for (let i = 0; i < counted; i += 1) await tick();
  })();
  await time.pass();
  await done;
  return {
    runMs: runMs / counted,
    serviceRequests: service.answered / counted,
    calls: (table.totalCalls + topic.calls) / counted,
    readUnits: table.readUnits / counted,
    writeUnits: table.writeUnits / counted,
    publishRequests: topic.billedRequests / counted,
    storedBytes: table.storedBytes,
  };
}
