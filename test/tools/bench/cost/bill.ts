import { DEFAULTS } from '../../../support/as-deployed.ts';
import { PRICES } from './prices.ts';
import type { TickUsage } from './ticks.ts';

/** Of a month of 30 days. */
const TICKS_PER_MONTH = 43_200;
/** MB with which Lambda gives a whole vCPU. */
const MB_PER_CPU = 1769;

// Estimates; everything else is counted.
/** CPU of a request that finds nothing new, with its list, on one core of a laptop. */
const CPU_MS_OF_REQUEST = 0.55;
/** A request to the service with a token of 600 letters, before TLS. */
const BYTES_OF_REQUEST = 950;
/** Log entries and metrics of a run. */
const LOG_BYTES_OF_RUN = 700;
/** Lambda's own entries of a run (START, END, REPORT), with the overhead of each. */
const LAMBDA_LOG_BYTES = 450;
/** The keys of table and topic are requested at most every five minutes. */
const KEY_REQUESTS_PER_MONTH = 17_280;
/** The secret is read at a cold start, of which there are some a day. */
const SECRET_READS_PER_MONTH = 300;
/** A TLS record, and a packet each for the request and the acknowledgement of the answer. */
const WRAPPING_BYTES = 29 + 2 * 40;
/** To open a TLS connection; each run opens as many as it polls lists concurrently. */
const HANDSHAKE_BYTES = 1_000;

/** Billed seconds of a tick: its waiting, and its CPU time on its share of a vCPU. */
export function billedSeconds(tick: TickUsage): number {
  const cpuMs = tick.serviceRequests * CPU_MS_OF_REQUEST;
  return (tick.runMs + cpuMs / Math.min(1, DEFAULTS.memoryMb / MB_PER_CPU)) / 1000;
}

/**
 * A month of such ticks in US dollars, without subscribers and monitoring. Queue and bucket are
 * used only after failures.
 */
export function billOf(tick: TickUsage) {
  const { memoryMb, concurrency } = DEFAULTS;
  const seconds = billedSeconds(tick) * TICKS_PER_MONTH;
  const storedGb = tick.storedBytes / 1024 ** 3;
  const sentBytes =
    tick.serviceRequests * (BYTES_OF_REQUEST + WRAPPING_BYTES) +
    Math.min(concurrency, tick.serviceRequests) * HANDSHAKE_BYTES;
  const loggedGb = (TICKS_PER_MONTH * (LOG_BYTES_OF_RUN + LAMBDA_LOG_BYTES)) / 1e9;
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
  };
}

export function totalOf(bill: ReturnType<typeof billOf>): number {
  return Object.values(bill).reduce((total, usd) => total + usd, 0);
}
