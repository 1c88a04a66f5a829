import { PRICES } from './prices.ts';
import { TICKS_A_MONTH, type TickUsage } from './simulated-month.ts';
import type { Work } from './work.ts';

/** What a stage is deployed with. */
export interface Deployment {
  /** Memory of the poller, in MB. */
  readonly memoryMb: number;
  /** Counts the custom metrics, which an operator can do without. */
  readonly withMetrics: boolean;
}

/** Memory with which Lambda gives a whole CPU; with less it gives that part of one. */
const MB_OF_A_CPU = 1769;

/**
 * What Lambda itself logs of a run (START, END, REPORT) and what is billed with each of five entries:
 * an estimate. What the function logs is measured.
 */
const LAMBDA_LOG_BYTES = 450;
/** An estimate: KMS is asked for the keys of table and topic every five minutes or less often. */
const KEY_REQUESTS_A_MONTH = 17_280;
/** An estimate: the secret is read at a cold start, of which there are some a day. */
const SECRET_READS_A_MONTH = 300;
/** TLS, TCP and IP around a request: an estimate, a record of 29 bytes and a packet with its answer's. */
const WRAPPING_BYTES = 29 + 2 * 40;

/** A month's bill in US dollars, by what is paid for. */
export interface Bill {
  readonly lambda: number;
  readonly schedule: number;
  readonly table: number;
  readonly topic: number;
  /** Requests to the service that leave AWS. Nothing, if the service is in the same region. */
  readonly traffic: number;
  readonly secret: number;
  readonly keys: number;
  readonly logs: number;
  readonly metrics: number;
}

/**
 * Seconds for which a tick is billed: what it waits, from the simulation, and its work, as measured on
 * one core of this machine, on the part of a CPU that it gets. As if nothing were done while waiting, so
 * rather too much; a vCPU of Lambda may be slower than this machine.
 */
export function billedSeconds(tick: TickUsage, work: Work, memoryMb: number): number {
  const cpuMs =
    work.cpuMsOfRun +
    tick.feeds * work.cpuMsOfFeed +
    tick.serviceRequests * work.cpuMsOfRequest +
    tick.events * work.cpuMsOfEvent;
  return (tick.runMs + cpuMs / Math.min(1, memoryMb / MB_OF_A_CPU)) / 1000;
}

/** Prices a month of such ticks. */
export function billOf(tick: TickUsage, work: Work, { memoryMb, withMetrics }: Deployment): Bill {
  const seconds = billedSeconds(tick, work, memoryMb) * TICKS_A_MONTH;
  const storedGb = tick.storedBytes / 1024 ** 3;
  const sentBytes = tick.serviceRequests * (work.bytesOfRequest + WRAPPING_BYTES);
  const loggedBytes = work.logBytesOfRun + LAMBDA_LOG_BYTES;
  return {
    lambda:
      seconds * (memoryMb / 1024) * PRICES.lambdaGbSecond + TICKS_A_MONTH * PRICES.lambdaRequest,
    schedule: TICKS_A_MONTH * PRICES.scheduledTick,
    table:
      TICKS_A_MONTH * (tick.readUnits * PRICES.readUnit + tick.writeUnits * PRICES.writeUnit) +
      storedGb * (PRICES.storedGbMonth + PRICES.backedUpGbMonth),
    topic: TICKS_A_MONTH * tick.publishRequests * PRICES.publishRequest,
    traffic: ((TICKS_A_MONTH * sentBytes) / 1e9) * PRICES.sentGb,
    secret: PRICES.secretMonth + SECRET_READS_A_MONTH * PRICES.secretRequest,
    keys: KEY_REQUESTS_A_MONTH * PRICES.keyRequest,
    logs: ((TICKS_A_MONTH * loggedBytes) / 1e9) * PRICES.loggedGb,
    metrics: withMetrics ? tick.metrics * PRICES.metricMonth : 0,
  };
}

/** What is to be paid. */
export function totalOf(bill: Bill): number {
  let total = 0;
  for (const amount of Object.values(bill) as number[]) total += amount;
  return total;
}
