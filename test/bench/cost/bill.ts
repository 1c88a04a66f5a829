import { isWritten, METRICS, type Monitoring } from '../../../functions/core/ports/metrics.ts';
import { monitoringUsd } from './monitoring-bill.ts';
import { monitoringCost } from './monitoring-cost.ts';
import { PRICES } from './prices.ts';
import { TICKS_PER_MONTH, type TickUsage } from './simulated-month.ts';
import type { Work } from './work.ts';

/** MB with which Lambda gives a whole vCPU. */
const MB_PER_CPU = 1769;

// Estimates; everything else is counted or measured.
/** Lambda's own entries of a run (START, END, REPORT), and the overhead that is billed for each entry. */
const LAMBDA_LOG_BYTES = 450;
/** The keys of table and topic are requested at most every five minutes. */
const KEY_REQUESTS_PER_MONTH = 17_280;
/** The secret is read at a cold start, of which there are some a day. */
const SECRET_READS_PER_MONTH = 300;
/** A TLS record, and a packet each for the request and the acknowledgement of the answer. */
const WRAPPING_BYTES = 29 + 2 * 40;
/** What a client sends to open a TLS connection; each run opens as many as it polls lists concurrently. */
const HANDSHAKE_BYTES = 1_000;

/** A month's bill in US dollars. Its queues and bucket are used only after failures. */
export interface Bill {
  readonly lambda: number;
  readonly schedule: number;
  readonly table: number;
  readonly topic: number;
  /** Requests to a service outside AWS, or in another region. */
  readonly traffic: number;
  readonly secret: number;
  readonly keys: number;
  readonly logs: number;
  readonly metrics: number;
  /** Alarms and dashboards, without those of subscribers. */
  readonly alarms: number;
}

/**
 * Billed seconds of a tick: its waiting, from the simulation, and its CPU time, as measured on one core
 * of this machine, on its share of a vCPU. As if nothing were done while waiting, so rather too much; but
 * a vCPU of Lambda may be slower than this machine.
 */
export function billedSeconds(tick: TickUsage, work: Work, memoryMb: number): number {
  const cpuMs =
    work.cpuMsOfRun +
    tick.feeds * work.cpuMsOfFeed +
    tick.serviceRequests * work.cpuMsOfRequest +
    tick.events * work.cpuMsOfEvent;
  return (tick.runMs + cpuMs / Math.min(1, memoryMb / MB_PER_CPU)) / 1000;
}

/** What of a stage's config decides its bill. */
export interface BilledConfig {
  readonly memoryMb: number;
  readonly concurrency: number;
  readonly monitoring: Monitoring;
}

/** Prices a month of such ticks. */
export function billOf(
  tick: TickUsage,
  work: Work,
  { memoryMb, concurrency, monitoring }: BilledConfig,
): Bill {
  const cost = monitoringCost(monitoring);
  const writtenCount = tick.metrics.filter((name) => isWritten(METRICS[name], monitoring)).length;
  const seconds = billedSeconds(tick, work, memoryMb) * TICKS_PER_MONTH;
  const storedGb = tick.storedBytes / 1024 ** 3;
  const sentBytes =
    tick.serviceRequests * (work.bytesOfRequest + WRAPPING_BYTES) +
    Math.min(concurrency, tick.serviceRequests) * HANDSHAKE_BYTES;
  const loggedGb = (TICKS_PER_MONTH * (work.logBytesOfRun + LAMBDA_LOG_BYTES)) / 1e9;
  return {
    lambda:
      seconds * (memoryMb / 1024) * PRICES.lambdaGbSecond + TICKS_PER_MONTH * PRICES.lambdaRequest,
    schedule: TICKS_PER_MONTH * PRICES.scheduledTick,
    table:
      TICKS_PER_MONTH * (tick.readUnits * PRICES.readUnit + tick.writeUnits * PRICES.writeUnit) +
      storedGb * (PRICES.storedGbMonth + PRICES.backedUpGbMonth),
    topic: TICKS_PER_MONTH * tick.publishRequests * PRICES.publishRequest,
    traffic: ((TICKS_PER_MONTH * sentBytes) / 1e9) * PRICES.sentGb,
    secret: PRICES.secretMonth + SECRET_READS_PER_MONTH * PRICES.secretRequest,
    keys: KEY_REQUESTS_PER_MONTH * PRICES.keyRequest,
    // Kept for `logRetentionDays`, a month by default.
    logs: loggedGb * (PRICES.loggedGb + PRICES.storedLogGbMonth),
    metrics: Math.max(cost.steadyMetricCount, writtenCount) * PRICES.metricMonth,
    alarms: monitoringUsd(cost, 0),
  };
}

export function totalOf(bill: Bill): number {
  return (Object.values(bill) as number[]).reduce((total, usd) => total + usd, 0);
}
